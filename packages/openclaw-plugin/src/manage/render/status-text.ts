import { stateWord, type ServerReport } from 'pincer/client';

/** `Connected`, `Running (PID 48291)`, `Auth required`. */
export const statusText = ({ state, transport, pid }: ServerReport): string =>
  state === 'ready' && transport === 'stdio' && pid !== undefined
    ? `Running (PID ${pid})`
    : stateWord(state, transport);
