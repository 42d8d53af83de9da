import { expect, it } from 'vitest';
import { requestText } from './socket.ts';

const attachment = (content: string, fileName = 'a "quoted" näme.png') => ({
  type: 'image' as const,
  mimeType: 'image/png',
  fileName,
  content,
});

it.each([
  { sessionKey: 'k' },
  { message: '', attachments: [] },
  { message: 'a "word"\n', attachments: [attachment('AAAA')] },
  { message: 'ü', attachments: [attachment('AA=='), attachment(''), attachment('+/+/')], agentId: 'main' },
])('says what JSON.stringify would say: %j', (params) => {
  const { attachments = [], ...others } = params as { attachments?: object[] };
  const expected = attachments.length > 0 ? params : others;
  expect(JSON.parse(requestText('1', 'chat.send', params))).toEqual({
    type: 'req',
    id: '1',
    method: 'chat.send',
    params: expected,
  });
});
