/**
 * A legacy program gets a process of its own for modern clients that can be asked something, one per set of
 * capabilities. The suite waits 600 ms for the first frame of a call, and starting a process can take longer on a busy
 * machine: so each set is used once before, as in a hub that has been in use.
 */
import { META_KEY, MODERN_VERSION } from '../../packages/hub/src/core/protocol.ts';

/** The sets that the suite's own client declares. */
const CAPABILITIES: readonly object[] = [
  { elicitation: {} },
  { sampling: {} },
  { sampling: {}, elicitation: {}, roots: { listChanged: true } },
];

const TOOL = 'test_simple_text';

export async function warmUp(url: string): Promise<void> {
  for (const capabilities of CAPABILITIES) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': TOOL,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: TOOL,
          arguments: {},
          _meta: {
            [META_KEY.protocolVersion]: MODERN_VERSION,
            [META_KEY.clientCapabilities]: capabilities,
          },
        },
      }),
    });
    const answer = await response.text();
    if (!answer.includes('"result"')) throw new Error(`The first call was answered: ${answer}`);
  }
}
