/** A gateway's messages, as the text of a frame. */

export const responseText = (id: string, payload: unknown): string =>
  JSON.stringify({ type: 'res', id, ok: true, payload });

export const eventText = (event: string, payload: object): string =>
  JSON.stringify({ type: 'event', event, payload });

/** The answer to a `connect` request. */
export const welcomeText = (id: string, policy: object = {}): string =>
  responseText(id, {
    server: { version: 'x', bootId: 'boot' },
    auth: { scopes: [] },
    policy: { maxPayload: 60_000, tickIntervalMs: 30_000, ...policy },
  });

/** The final event of a run. */
export const finalText = (runId: string, text: string): string =>
  eventText('chat', {
    runId,
    sessionKey: 'agent:main:k',
    seq: 1_000_000,
    state: 'final',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  });

/** A refusal; `details` give the reason. */
export const refusalText = (id: string, details: object, message = 'no'): string =>
  JSON.stringify({ type: 'res', id, ok: false, error: { code: 'INVALID_REQUEST', message, details } });
