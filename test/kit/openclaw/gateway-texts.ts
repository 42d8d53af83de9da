/** What a gateway says, as the text of a frame. */

export const responseText = (id: string, payload: unknown): string =>
  JSON.stringify({ type: 'res', id, ok: true, payload });

export const eventText = (event: string, payload: object): string =>
  JSON.stringify({ type: 'event', event, payload });

/** The answer to the request to be let in. */
export const welcomeText = (id: string, policy: object = {}): string =>
  responseText(id, {
    server: { version: 'x', bootId: 'boot' },
    auth: { scopes: [] },
    policy: { maxPayload: 60_000, tickIntervalMs: 30_000, ...policy },
  });

/** The last word on a run. */
export const finalText = (runId: string, text: string): string =>
  eventText('chat', {
    runId,
    sessionKey: 'agent:main:k',
    seq: 1_000_000,
    state: 'final',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  });

/** What it says no with; `details` say why. */
export const refusalText = (id: string, details: object, message = 'no'): string =>
  JSON.stringify({ type: 'res', id, ok: false, error: { code: 'INVALID_REQUEST', message, details } });
