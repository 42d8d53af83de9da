import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { toByteText } from '../core/wire/byte-text.ts';
import { readOrder } from './read-order.ts';

const read = (args: string) => readOrder(toByteText(args), [], DEFAULT_LIMITS);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1').toString('base64');
const IMAGE = `{"data":"${PNG}","mimeType":"image/png"}`;

describe('the arguments of an order', () => {
  it('are read as they were written', () => {
    const order = read(
      `{"message":"gr\\u00fcn ü","images":[ ${IMAGE} , ${IMAGE}],"files":[{"data":"aGk=","filename":"ä\\u0062.txt","mimeType":"text/plain"}]}`,
    );
    expect(order.message).toBe('grün ü');
    expect(order.attachments.map(({ data }) => data)).toEqual([PNG, PNG, 'aGk=']);
    expect(order.attachments.at(-1)).toMatchObject({ name: 'äb.txt', mimeType: 'text/plain', size: 2 });
  });

  it('may escape what need not be', () => {
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
  ])('that are wrong are refused by name: %s', (args, name) => {
    expect(() => read(args)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }));
    expect(() => read(args)).toThrow(name);
  });
});
