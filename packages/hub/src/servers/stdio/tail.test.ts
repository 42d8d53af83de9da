import { describe, expect, it } from 'vitest';
import { toByteText } from '../../core/wire/byte-text.ts';
import { createTail } from './tail.ts';

describe('createTail', () => {
  it('keeps the last bytes', () => {
    const tail = createTail(10);
    tail.push('12345');
    tail.push('67890');
    expect(tail.text()).toBe('1234567890');
    tail.push('ab');
    expect(tail.text()).toBe('34567890ab');
    tail.push('x'.repeat(50));
    expect(tail.text()).toBe('x'.repeat(10));
  });

  it('hides passwords of a proxy or registry', () => {
    const tail = createTail(200);
    tail.push('npm error network connect to http://me:hunter2@proxy.corp:8080 failed\n');
    expect(tail.lastLine()).toBe('npm error network connect to http://[redacted]@proxy.corp:8080 failed');
    expect(tail.text()).not.toContain('hunter2');
  });

  it('decodes UTF-8', () => {
    const tail = createTail(100);
    const bytes = toByteText('größe €\n');
    for (const byte of bytes) tail.push(byte);
    expect(tail.text()).toBe('größe €\n');
    expect(tail.lastLine()).toBe('größe €');
  });

  it.each([
    ['', undefined],
    ['\n \n', undefined],
    ['one', 'one'],
    ['one\ntwo\n\n', 'two'],
    ['one\r\n  two  \r\n', 'two'],
    [
      "  throw err;\n\nError: Cannot find module 'x'\n    at y\n\nNode.js v24.21.0\n",
      "Error: Cannot find module 'x'",
    ],
    ['Traceback:\nModuleNotFoundError: No module named x\n', 'ModuleNotFoundError: No module named x'],
    [`${'y'.repeat(600)}\n`, 'y'.repeat(500)],
  ])('the last line of %j is %j', (text, line) => {
    const tail = createTail(1_000);
    tail.push(text);
    expect(tail.lastLine()).toBe(line);
  });
});
