/** What is to be done when a bridge has ended. */
import { CLOSED } from './wire.ts';

export interface EndedBridge {
  /** Its session was made just now. */
  readonly isNew: boolean;
  /** Its session is from before, such as from the page that was reloaded. */
  readonly isRecalled: boolean;
  /** Some bridge has been open since. */
  readonly wasOpen: boolean;
}

export type AfterEnd =
  /** Nothing: the token is not accepted. */
  | 'refused'
  /** Nothing: another has the session. */
  | 'replaced'
  /** Another session, at once. */
  | 'renew'
  /** Another session, after a pause. */
  | 'renew-later'
  /** Another bridge on the same session, after a pause. */
  | 'retry';

export function afterEnd(code: number, { isNew, isRecalled, wasOpen }: EndedBridge): AfterEnd {
  switch (code) {
    case CLOSED.refused:
      // A session from before may be another token's. Whether this one is good shows when a new session is asked for.
      return isRecalled && !wasOpen ? 'renew' : 'refused';
    case CLOSED.takenOver:
      return 'replaced';
    case CLOSED.unknown:
      // An old session may be gone. One that was made this moment should not be.
      return isNew ? 'renew-later' : 'renew';
    default:
      return 'retry';
  }
}
