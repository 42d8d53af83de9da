/** `/` of the local listener: this machine as an MCP server of its own, under the names that nodes of OpenClaw use. */
import { DEVICE_SOURCE } from '../../core/caller.ts';
import { VERSION } from '../../lib/version.ts';
import type { Handler } from '../../http/local-listener.ts';
import type { McpHttp } from '../../mcp/http.ts';

export interface DeviceFrontParts {
  readonly mcpHttp: Pick<McpHttp, 'handle'>;
  onRejected(status: number): void;
}

export function createDeviceFront({ mcpHttp, onRejected }: DeviceFrontParts): Handler {
  return (request, response, caller) => {
    const { method, headers } = request;
    const isForSession = headers['mcp-session-id'] !== undefined && (method === 'GET' || method === 'DELETE');
    if (method === 'POST' || isForSession) return mcpHttp.handle(request, response, caller, DEVICE_SOURCE);
    request.resume();
    // Clients of MCP look for a stream of notices here first; there is none without a session.
    if (method !== 'GET' || headers.accept?.includes('text/event-stream') === true) {
      onRejected(405);
      response.writeHead(405, { allow: 'GET, POST', 'content-type': 'text/plain' }).end('POST only\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain' }).end(probe(headers.host ?? ''));
  };
}

const probe = (host: string): string =>
  `OpenClaw MCP server. POST JSON-RPC to http://${host}/\nPincer ${VERSION}\n`;
