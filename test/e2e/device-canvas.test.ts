/** The canvas in a real Chromium. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMPONENTS } from '../../packages/hub/src/device/canvas/a2ui/message.ts';
import { jsonl, SAMPLE } from '../kit/device/a2ui-sample.ts';
import { canvasBench, type CanvasBench } from '../kit/device/canvas-bench.ts';
import { sizeOfPng } from '../kit/device/png.ts';
import { eventually } from '../kit/processes.ts';

let canvas: CanvasBench;
beforeAll(() => {
  canvas = canvasBench();
});
afterAll(() => canvas[Symbol.asyncDispose]());
beforeEach(() => void canvas.actions.splice(0));

/** The colour in the middle of an image, as a page sees it. */
const colourOf = (url: string): Promise<number[]> =>
  canvas.ask(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(url)};
    await image.decode();
    const drawing = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
    drawing.drawImage(image, 0, 0);
    return [...drawing.getImageData(image.width >> 1, image.height >> 1, 1, 1).data];
  })()`);

describe('a presented page', () => {
  test('is shown in its size, and answers scripts and screenshots', async () => {
    expect(
      await canvas.call('present', {
        html: '<body style="background:#1e90ff">',
        width: 640,
        height: 400,
        title: 'T',
      }),
    ).toEqual({ presented: true });
    expect(await canvas.ask('[innerWidth, innerHeight, document.title, isSecureContext]')).toEqual([
      640,
      400,
      'T',
      true,
    ]);
    const png = await canvas.call('snapshot');
    expect(sizeOfPng(png['base64'] as string)).toEqual([640, 400]);
    expect(png).toMatchObject({ format: 'png', width: 640, height: 400 });
    expect(await colourOf(`data:image/png;base64,${png['base64'] as string}`)).toEqual([30, 144, 255, 255]);
    const jpeg = await canvas.call('snapshot', { format: 'jpg', maxWidth: 160, quality: 0.9 });
    expect(jpeg).toMatchObject({ format: 'jpeg', width: 160, height: 100 });
    const [red, green, blue] = await colourOf(`data:image/jpeg;base64,${jpeg['base64'] as string}`);
    expect([red! < 60, green! > 120 && green! < 170, blue! > 230]).toEqual([true, true, true]);
  });

  test('returns values as JSON and errors as one line', async () => {
    expect(await canvas.call('eval', { javaScript: 'Promise.resolve({ a: [1, null] })' })).toEqual({
      result: { a: [1, null] },
    });
    expect(await canvas.call('eval', { javascript: 'let x = 4; x + 1' })).toEqual({ result: 5 });
    expect(await canvas.call('eval', { script: 'undefined' })).toEqual({ result: null });
    const failed = { message: 'Eval failed', hint: 'Error: no' };
    await expect(canvas.ask('throw new Error("no")')).rejects.toMatchObject(failed);
    await expect(canvas.ask('"x".repeat(5e6)')).rejects.toMatchObject({
      hint: 'The script returned more than 4194304 bytes.',
    });
    // Dialogs get no answer, and new windows do not open.
    expect(await canvas.ask('[confirm("?"), prompt("?"), open("https://example.com/")]')).toEqual([
      false,
      null,
      null,
    ]);
    expect(await canvas.ask('Notification.requestPermission()')).toBe('denied');
    const camera = `navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'given', ({ name }) => name)`;
    expect(await canvas.ask(camera)).not.toBe('given');
    const place = `new Promise((given, no) => navigator.geolocation.getCurrentPosition(given, no)).then(() => 'given', ({ code }) => code)`;
    expect(await canvas.ask(place)).toBe(1);
  });

  test('is not waited for after a cancellation, even if its server never responds', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    await using mine = canvasBench({ allow: [`127.0.0.1:${port}`] });
    await mine.call('present', { html: 'first' });
    const stop = new AbortController();
    silent.once('request', () => stop.abort());
    const url = `http://127.0.0.1:${port}/`;
    const cancelled = { message: 'cancelled' };
    await Promise.all([
      expect(mine.call('present', { url }, stop.signal)).rejects.toMatchObject(cancelled),
      // Queued behind the call before it.
      expect(mine.call('snapshot', {}, stop.signal)).rejects.toMatchObject(cancelled),
    ]);
    await mine.call('present', { html: 'second' });
    expect(await mine.ask('document.body.innerText')).toBe('second');
    silent.close();
    silent.closeAllConnections();
  });

  test('is kept while hidden, and shown again without its URL', async () => {
    await canvas.call('present', { html: '<p id="p">here</p>' });
    await canvas.ask('p.textContent = "changed"');
    expect(await canvas.call('hide')).toEqual({ hidden: true });
    expect(await canvas.call('present', {})).toEqual({ presented: true });
    expect(await canvas.ask('p.textContent')).toBe('changed');
  });
});

describe('A2UI', () => {
  test('draws all its components, from bound data', async () => {
    await canvas.call('present', { html: '', width: 900, height: 900 });
    expect(
      await canvas.call('a2ui.push', { jsonl: SAMPLE, props: { sessionKey: 'agent:main:main' } }),
    ).toEqual({
      pushed: true,
    });
    const { surfaces } = (await canvas.call('a2ui.dump')) as {
      surfaces: { main: { components: Record<string, { type: string }> } };
    };
    const types = new Map(Object.entries(surfaces.main.components).map(([id, { type }]) => [id, type]));
    const sizes = await canvas.ask<Record<string, [number, number]>>(
      `Object.fromEntries([...document.querySelectorAll('[data-component]')].map((e) => [e.dataset.component, [e.offsetWidth, e.offsetHeight]]))`,
    );
    const drawn = Object.entries(sizes).filter(
      ([id, [width, height]]) => types.get(id) === 'Divider' || width * height > 0,
    );
    expect(new Set(drawn.map(([id]) => types.get(id)))).toEqual(new Set(COMPONENTS));
    const shown = await canvas.ask<string>('document.body.innerText');
    for (const words of [
      'Table for two',
      'Friday evening',
      'Burrata',
      'Panna cotta',
      'Tuesday to Sunday',
      'Book',
    ])
      expect(shown).toContain(words);
    expect(shown).not.toContain('Behind the station');
    expect(
      await canvas.ask(
        `[...document.querySelectorAll('input')].map((input) => input.type + ':' + (input.type === 'checkbox' || input.type === 'radio' ? input.checked : input.value))`,
      ),
    ).toEqual([
      'text:Ada',
      'datetime-local:2026-11-20T19:30',
      'range:2',
      'checkbox:true',
      'radio:false',
      'radio:true',
    ]);
    const { base64 } = await canvas.call('snapshot');
    const colours = new Set(Buffer.from(base64 as string, 'base64'));
    expect(colours.size).toBeGreaterThan(200);
  });

  test('reports what a person types and clicks, but no scripted events', async () => {
    await canvas.ask('document.querySelector(".Button.primary").click()');
    await canvas.click('input.box');
    await canvas.type(' Lovelace');
    await canvas.click('.tick input');
    await canvas.click('.Button.primary');
    expect(await eventually(() => canvas.actions.length > 0)).toBe(true);
    expect(canvas.actions).toHaveLength(1);
    const [{ action, message }] = canvas.actions as [CanvasBench['actions'][number]];
    expect(action).toMatchObject({
      name: 'book',
      surfaceId: 'main',
      sourceComponentId: 'book',
      sessionKey: 'agent:main:main',
      context: { name: 'Ada Lovelace', party: 2, from: 'canvas' },
    });
    expect(message).toContain('CANVAS_A2UI action=book session=agent:main:main surface=main component=book ');
    const dump = await canvas.call('a2ui.dump');
    expect(dump).toMatchObject({
      surfaces: { main: { dataModel: { form: { name: 'Ada Lovelace', veg: false } } } },
    });
  });

  test('updates in place: focus, tabs and dialogs stay', async () => {
    await canvas.click('[role=tab]:nth-child(2)');
    await canvas.click('.Modal button');
    await canvas.call('a2ui.pushJSONL', {
      jsonl: jsonl({
        dataModelUpdate: {
          surfaceId: 'main',
          path: '/subtitle',
          contents: [{ key: '.', valueString: 'Sunday noon' }],
        },
      }),
    });
    const shown = await canvas.ask<string>('document.body.innerText');
    for (const words of ['Sunday noon', 'Behind the station', 'Tables are held'])
      expect(shown).toContain(words);
    expect(await canvas.ask('document.querySelector("dialog").open')).toBe(true);
    expect(await canvas.call('a2ui.reset')).toEqual({ reset: true });
    expect(await canvas.ask('document.body.innerText')).toBe('Nothing to show yet.');
    expect(await canvas.call('a2ui.dump')).toMatchObject({ renderer: 'none', surfaceCount: 0 });
  });

  test('runs no script in its content', async () => {
    const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const addresses = [
      'javascript:window.hacked=1',
      'data:text/html,<script>top.hacked=1</script>',
      'file:///etc/passwd',
    ];
    const components = [
      {
        id: 'root',
        component: {
          Column: { children: { explicitList: ['t', 'i0', 'i1', 'i2', 'v', 'c', 'b', 'x', 'icon'] } },
        },
      },
      {
        id: 't',
        component: {
          Text: { text: { literalString: `${evil}\n# ${evil}\n- **${evil}**` }, usageHint: evil },
        },
      },
      ...addresses.map((url, at) => ({
        id: `i${at}`,
        component: { Image: { url: { literalString: url }, fit: evil } },
      })),
      { id: 'v', component: { Video: { url: { literalString: addresses[0] } } } },
      {
        id: 'c',
        component: { TextField: { label: { literalString: evil }, text: { path: '/__proto__/hacked' } } },
      },
      { id: 'b', component: { Button: { child: 't', action: { name: evil } } } },
      // Cyclic references, twice at each level.
      { id: 'x', component: { Row: { children: { explicitList: ['y', 'y', 'x'] } } } },
      { id: 'y', component: { Row: { children: { template: { componentId: 'x', dataBinding: '/many' } } } } },
      { id: 'icon', component: { Icon: { name: { literalString: 'constructor' } } } },
    ];
    const many = JSON.stringify(Array.from({ length: 900 }, (_, at) => at));
    await canvas.call('a2ui.push', {
      jsonl: jsonl(
        { surfaceUpdate: { surfaceId: evil, components } },
        { dataModelUpdate: { surfaceId: evil, contents: [{ key: 'many', valueString: many }] } },
        {
          beginRendering: {
            surfaceId: evil,
            root: 'root',
            styles: { font: evil, primaryColor: `red;${evil}` },
          },
        },
      ),
    });
    await canvas.click('input');
    await canvas.type('x');
    await canvas.click('.Button');
    expect(await eventually(() => canvas.actions.length > 0)).toBe(true);
    expect(canvas.actions[0]!.message).toMatch(/^CANVAS_A2UI action=_img_src_x_onerror_[\w]+/);
    expect(
      await canvas.ask(
        '[window.hacked, ({}).hacked, document.querySelectorAll("script, iframe, img, video").length, document.querySelectorAll(".refused").length]',
      ),
    ).toEqual([null, null, 0, 4]);
    expect(await canvas.ask('document.body.innerText')).toContain(evil);
    await canvas.call('a2ui.reset');
  });
});
