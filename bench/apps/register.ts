/** Registers an app over the session API. */
import type { AppTool } from './tools.ts';

export interface Registered {
  sessionId: string;
  bridgeUrl: string;
  mcpUrl: string;
}

export interface Registering {
  baseUrl: string;
  token: string;
  tools: readonly AppTool[];
  /** Identifies the device. */
  device?: string;
}

export async function registerSession({
  baseUrl,
  token,
  tools,
  device = 'device-1',
}: Registering): Promise<Registered> {
  const response = await fetch(`${baseUrl}/v1/chat/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      device_id: device,
      device_name: 'desktop',
      app_version: '1.0.0',
      chat_id: 'chat-1',
      tools,
    }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status} to a registration: ${await response.text()}`);
  const session = (await response.json()) as { mcpSessionId: string; bridge_url: string; mcp_url: string };
  return { sessionId: session.mcpSessionId, bridgeUrl: session.bridge_url, mcpUrl: session.mcp_url };
}
