import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { toByteText } from '../core/wire/byte-text.ts';
import { orderSchema, orderTool, readOrder } from './tools.ts';

/** Word for word from the proposal, because clients and people know it. */
const PROPOSED = {
  name: 'order_openclaw',
  description:
    'Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.',
  inputSchema: {
    type: 'object',
    properties: {
      message: {
        type: 'string',
        description: 'The message to send to OpenClaw',
      },
      sessionKey: {
        type: 'string',
        description: 'Optional session key for conversation continuity',
      },
      images: {
        type: 'array',
        description: 'Optional base64-encoded images (max 10, 15MB each)',
        items: {
          type: 'object',
          properties: {
            data: { type: 'string', description: 'Base64-encoded image data' },
            mimeType: { type: 'string', description: "MIME type (e.g., 'image/png')" },
            filename: { type: 'string', description: 'Optional filename' },
          },
          required: ['data', 'mimeType'],
        },
      },
      files: {
        type: 'array',
        description: 'Optional base64-encoded files (max 5, 15MB each)',
        items: {
          type: 'object',
          properties: {
            data: { type: 'string', description: 'Base64-encoded file data' },
            mimeType: { type: 'string', description: "MIME type (e.g., 'application/pdf')" },
            filename: { type: 'string', description: 'Optional filename' },
          },
          required: ['data', 'mimeType'],
        },
      },
    },
    required: ['message'],
  },
};

describe('orderTool', () => {
  it('matches the proposed tool exactly', () => {
    verifies(
      '001-tool-description',
      '001-tool-schema-object',
      '001-tool-schema-message',
      '001-tool-schema-session-key',
      '001-tool-schema-images',
      '001-tool-schema-files',
      '001-tool-schema-descriptions',
    );
    expect(orderTool()).toEqual(PROPOSED);
    expect(Object.keys(orderTool().inputSchema)).toEqual(['type', 'properties', 'required']);
  });

  it('has the argument `agent` if the setting allows it', () => {
    const { inputSchema, ...rest } = orderTool({ agent: true });
    expect({ ...rest, inputSchema: PROPOSED.inputSchema }).toEqual(PROPOSED);
    expect(inputSchema).toEqual({
      ...PROPOSED.inputSchema,
      properties: {
        ...PROPOSED.inputSchema.properties,
        agent: { type: 'string', description: expect.any(String) },
      },
    });
  });
});

describe('orderSchema', () => {
  it('keeps a message unchanged', () => {
    const message = ' /status \r\n\u0000e\u0301 ';
    expect(orderSchema().parse({ message })).toEqual({ message });
  });

  it('has no `agent` unless the setting allows it', () => {
    const asked = { message: 'hello', agent: 'work' };
    expect(orderSchema().parse(asked)).toEqual({ message: 'hello' });
    expect(orderSchema({ agent: true }).parse(asked)).toEqual(asked);
  });

  it.each([{}, { message: 1 }, { message: 'x', images: [{ data: 'QQ==' }] }, { message: 'x', files: {} }])(
    'refuses %j',
    (wrong) => expect(orderSchema().safeParse(wrong).success).toBe(false),
  );
});

const read = (args: string) => readOrder(toByteText(args), [], DEFAULT_LIMITS);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1').toString('base64');
const IMAGE = `{"data":"${PNG}","mimeType":"image/png"}`;

describe('readOrder', () => {
  it('keeps the arguments unchanged', () => {
    const order = read(
      `{"message":"gr\\u00fcn ü","images":[ ${IMAGE} , ${IMAGE}],"files":[{"data":"aGk=","filename":"ä\\u0062.txt","mimeType":"text/plain"}]}`,
    );
    expect(order.message).toBe('grün ü');
    expect(order.attachments.map(({ data }) => data)).toEqual([PNG, PNG, 'aGk=']);
    expect(order.attachments.at(-1)).toMatchObject({ name: 'äb.txt', mimeType: 'text/plain', size: 2 });
  });

  it('accepts unnecessary escapes', () => {
    const escaped = PNG.replace('i', '\\u0069').replaceAll('/', '\\/');
    expect(escaped).toContain('\\u0069');
    const [image] = read(
      `{"message":"x","images":[{"mimeType":"image/png","data":"${escaped}"}]}`,
    ).attachments;
    expect(image?.data).toBe(PNG);
  });

  it.each([
    ['{"message":"x","images":{}}', 'images'],
    ['{"message":"x","images":"no"}', 'images'],
    ['{"message":"x","images":[7]}', 'images.0'],
    ['{"message":"x","images":[{"data":7,"mimeType":"image/png"}]}', 'images.0.data'],
    ['{"message":"x","images":[{"mimeType":"image/png"}]}', 'images.0.data'],
    [`{"message":"x","images":[{"data":"${PNG}","mimeType":"image/png","data":""}]}`, 'occurs twice'],
    ['{"message":"x","message":"y"}', 'occurs twice'],
    [`{"message":"x","images":[{"data":"ü","mimeType":"image/png"}]}`, 'images[0]'],
  ])('names the invalid argument: %s', (args, name) => {
    expect(() => read(args)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }));
    expect(() => read(args)).toThrow(name);
  });
});
