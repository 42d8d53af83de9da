/** What is shown of the arguments of `system.notify`, in both dialects. */
import type { Notice, Urgency } from '../../core/desktop-program.ts';

export interface NotifyArguments {
  readonly title: string;
  readonly body: string;
  readonly subtitle?: string | undefined;
  readonly sound: boolean;
  readonly priority?: string | undefined;
}

/** Of a notification that says something, but has no title. */
const TITLE = 'OpenClaw';
const MAX_TITLE = 256;
const MAX_BODY = 4_096;

const URGENCY: ReadonlyMap<string | undefined, Urgency> = new Map([
  ['passive', 'low'],
  ['active', 'normal'],
  ['timeSensitive', 'critical'],
]);

/** Undefined: it says nothing. */
export function noticeOf({
  title,
  body,
  subtitle = '',
  sound,
  priority,
}: NotifyArguments): Notice | undefined {
  const shown = {
    title: text(title, MAX_TITLE),
    subtitle: text(subtitle, MAX_TITLE),
    body: text(body, MAX_BODY),
  };
  if (Object.values(shown).every((each) => each === '')) return undefined;
  return {
    ...shown,
    title: shown.title || TITLE,
    urgency: URGENCY.get(priority) ?? 'normal',
    // One that is passive is there to be found, and not to be heard.
    isSilent: !sound || priority === 'passive',
  };
}

/** Neither an argument nor a variable can have a zero in it. */
function text(value: string, max: number): string {
  const clean = value.replaceAll('\0', '\u{FFFD}').trim();
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).toWellFormed()}…`;
}
