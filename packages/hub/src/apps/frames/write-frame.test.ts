import { describe, expect, it } from 'vitest';
import { toByteText } from '../../core/wire/byte-text.ts';
import { cancelText, errorText, invokeText, replacedText, welcomeText } from './write-frame.ts';

describe('frames to an app', () => {
  it('have the documented members in order for a call', () => {
    expect(
      invokeText({
        sessionId: 'session-id',
        requestId: 'session-id:1',
        tool: 'echo_text',
        args: '{"text":"hello"}',
      }),
    ).toBe(
      '{"type":"invoke_tool","mcpSessionId":"session-id","request_id":"session-id:1","tool_name":"echo_text","arguments":{"text":"hello"}}',
    );
  });

  it("keep the caller's arguments", () => {
    const args = '{ "n":99999999999999999999,"n2":1.0, "t":"\\u00e9é😀\\/","a":1,"a":2}';
    const text = invokeText({ sessionId: 's', requestId: 'r', tool: 'zürich "1"', args: toByteText(args) });
    expect(text).toContain(`"arguments":${args}}`);
    expect(JSON.parse(text)).toMatchObject({ tool_name: 'zürich "1"' });
  });

  it('name their type and members', () => {
    expect(JSON.parse(cancelText({ sessionId: 's', requestId: 'r', reason: 'late' }))).toEqual({
      type: 'cancel',
      mcpSessionId: 's',
      request_id: 'r',
      reason: 'late',
    });
    expect(JSON.parse(cancelText({ sessionId: 's', requestId: 'r' }))).not.toHaveProperty('reason');
    expect(
      JSON.parse(
        welcomeText({ sessionId: 's', epoch: 3, version: 1, features: ['cancel'], chunkBytes: 1024 }),
      ),
    ).toEqual({
      type: 'welcome',
      mcpSessionId: 's',
      epoch: 3,
      version: 1,
      features: ['cancel'],
      chunk_bytes: 1024,
    });
    expect(JSON.parse(replacedText())).toMatchObject({ type: 'replaced' });
  });

  it('report a fault with its request, if known', () => {
    expect(JSON.parse(errorText({ code: 'frame_not_json', message: 'No "JSON".' }))).toEqual({
      type: 'error',
      code: 'frame_not_json',
      message: 'No "JSON".',
    });
    expect(
      JSON.parse(errorText({ code: 'frame_member_invalid', message: 'x', requestId: 'r' })),
    ).toMatchObject({ request_id: 'r' });
  });
});
