import { describe, expect, it } from 'vitest';
import { readMessage } from './message.ts';

describe('readMessage', () => {
  it('reads an image that the gateway keeps, as its history has it', () => {
    const url = '/api/chat/media/outgoing/agent%3Amain%3Amedia/ad6a7558/full';
    const content = [
      { type: 'text', text: 'Here it is.' },
      { type: 'image', artifactId: 'artifact_1', url, alt: 'dot.png', mimeType: 'image/png', sizeBytes: 70 },
    ];
    expect(readMessage({ role: 'assistant', content })).toEqual({
      text: 'Here it is.',
      media: [{ url, data: undefined, mimeType: 'image/png', name: 'dot.png', size: 70 }],
    });
  });

  it('reads one that is in the message, and leaves out what the gateway left out', () => {
    const content = [
      { type: 'image', data: 'QQ==', mimeType: 'image/png' },
      { type: 'image', mimeType: 'image/png', bytes: 70, omitted: true },
      { type: 'toolCall', id: 'call_1', name: 'read', arguments: {} },
    ];
    expect(readMessage({ content })).toMatchObject({
      text: '',
      media: [{ data: 'QQ==', mimeType: 'image/png' }],
    });
  });

  it.each([undefined, null, 'x', {}, { content: 1 }, { content: [1, null, { type: 'text' }] }])(
    'makes nothing of %j',
    (wrong) => expect(readMessage(wrong)).toEqual({ text: '', media: [] }),
  );
});
