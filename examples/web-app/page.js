import { connect, image } from 'pincer/app';
import { openErrands } from './errands.js';

const at = (id) => document.getElementById(id);

const errands = openErrands((list) => {
  const done = list.filter(({ isDone }) => isDone).length;
  at('meter').style.width = `${list.length === 0 ? 0 : (100 * done) / list.length}%`;
  at('count').textContent = `${done} of ${list.length} done`;
  at('errands').replaceChildren(...list.map(row));
});

function row({ id, text, due, isDone }) {
  const line = document.createElement('li');
  line.className = isDone ? 'done' : '';
  const label = line.appendChild(document.createElement('label'));
  const box = label.appendChild(document.createElement('input'));
  box.type = 'checkbox';
  box.checked = isDone;
  box.onchange = () => errands.finish(id, box.checked);
  label.appendChild(document.createElement('span')).textContent = text;
  if (due) label.appendChild(document.createElement('time')).textContent = due;
  return line;
}

at('add').onsubmit = (event) => {
  event.preventDefault();
  const { text } = event.target.elements;
  if (text.value.trim() !== '') errands.add(text.value);
  text.value = '';
};

/** The tools that an agent can call. */
const tools = {
  list_errands: {
    description: 'All errands on the page, with their ids.',
    annotations: { readOnlyHint: true },
    run: () => ({ errands: errands.list() }),
  },
  add_errand: {
    description: 'Adds an errand to the page.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What there is to do.' },
        due: { type: 'string', description: 'When, in words: "Friday", "before noon".' },
      },
      required: ['text'],
    },
    run: ({ text, due }) => errands.add(text, due),
  },
  finish_errand: {
    description: 'Ticks an errand off.',
    input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    annotations: { idempotentHint: true },
    run: ({ id }) => errands.finish(id),
  },
  clear_finished: {
    description: 'Removes all errands that are done.',
    annotations: { destructiveHint: true },
    run: () => errands.clearFinished(),
  },
  picture_of_errands: {
    description: 'A picture of how much is done.',
    annotations: { readOnlyHint: true },
    run: () => image(picture().toDataURL('image/png')),
  },
};

function picture() {
  const canvas = Object.assign(document.createElement('canvas'), { width: 240, height: 240 });
  const list = errands.list();
  const share = list.length === 0 ? 0 : list.filter(({ isDone }) => isDone).length / list.length;
  const draw = canvas.getContext('2d');
  draw.lineWidth = 28;
  for (const [colour, part] of [
    ['#e6e2d6', 1],
    [getComputedStyle(document.documentElement).getPropertyValue('--accent'), share],
  ]) {
    draw.strokeStyle = colour;
    draw.beginPath();
    draw.arc(120, 120, 96, -Math.PI / 2, -Math.PI / 2 + part * 2 * Math.PI);
    draw.stroke();
  }
  draw.font = '48px system-ui, sans-serif';
  draw.textAlign = 'center';
  draw.textBaseline = 'middle';
  draw.fillText(`${Math.round(share * 100)} %`, 120, 124);
  return canvas;
}

/** Shows each call on the page. */
const shown = (name, tool) => ({
  ...tool,
  run(args, call) {
    const result = tool.run(args, call);
    const line = document.createElement('li');
    line.textContent = name.replaceAll('_', ' ');
    if (result.text) line.appendChild(document.createElement('small')).textContent = result.text;
    at('log').prepend(line);
    return result;
  },
});

/** For browsers with WebMCP: the library also offers the tools that a page registers there. */
document.modelContext?.registerTool({
  name: 'set_colour',
  description: 'Changes the colour of the page.',
  inputSchema: {
    type: 'object',
    properties: { colour: { type: 'string', description: 'A CSS colour, such as "#7a3e9d" or "teal".' } },
    required: ['colour'],
  },
  execute({ colour }) {
    if (!CSS.supports('color', colour))
      return { isError: true, content: [{ type: 'text', text: 'Unknown colour.' }] };
    document.documentElement.style.setProperty('--accent', colour);
    return { colour };
  },
});

const WORDS = {
  connecting: 'Connecting…',
  open: 'Connected',
  reconnecting: 'Reconnecting…',
  replaced: 'Open in another tab',
  refused: 'Refused',
  closed: 'Closed',
};

function showStatus({ status, mcpUrl, reason = '' }) {
  at('status').textContent = WORDS[status];
  at('status').dataset.status = status;
  at('status').title = reason;
  at('address').textContent = mcpUrl ?? '…';
}

at('copy').onclick = () => navigator.clipboard.writeText(at('address').textContent);

const settings = await (await fetch('settings.json')).json();
await connect({
  ...settings,
  tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, shown(name, tool)])),
  device: { name: 'Errands' },
  webMcp: true,
  onStatus: showStatus,
  onError: (error) => console.error(error.message, error.hint ?? ''),
}).catch((error) => showStatus({ status: 'refused', reason: error.message }));
