/** What the app answers, as frames on one bridge. */
import type { Bridge } from './bridge.ts';
import type { WayBack } from './calls.ts';

/** The proxy takes at most 64 MiB, the frame around it included. A caller is told at once, not after its deadline. */
const MAX_CONTENT_CHARS = 64 * 1024 * 1024 - 4_096;

export function wayBack(bridge: Bridge, sessionId: string): WayBack {
  const head = (type: string, requestId: string): string =>
    `{"type":"${type}","mcpSessionId":${JSON.stringify(sessionId)},"request_id":${JSON.stringify(requestId)}`;
  const failed: WayBack['failed'] = (requestId, error) =>
    void bridge.send(`${head('invoke_result', requestId)},"ok":false,"error":${JSON.stringify(error)}}`);
  return {
    failed,
    done(requestId, content) {
      if (content !== undefined && content.length > MAX_CONTENT_CHARS)
        return failed(
          requestId,
          'The result of the tool is larger than 64 MiB, which is more than can be sent.',
        );
      const said = content === undefined ? '' : `,"content":${content}`;
      bridge.send(`${head('invoke_result', requestId)},"ok":true${said}}`);
    },
    progress(requestId, word) {
      bridge.send(`${head('progress', requestId)},${JSON.stringify(word).slice(1)}`);
    },
  };
}
