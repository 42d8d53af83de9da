/**
 * The parts of the page's script that know nothing of components: elements, texts, values. It runs in a world of its own
 * beside the page, where no script of the page sees it. Whatever agents send becomes text nodes and checked attributes,
 * never markup.
 */
export const SCRIPT_PARTS = String.raw`
const SVG = 'http://www.w3.org/2000/svg';

function el(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter(Boolean));
  return element;
}

function iconOf(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'Icon');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', name);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', Object.hasOwn(ICONS, name) ? ICONS[name] : 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14');
  svg.append(path);
  return svg;
}

const textOf = (value) =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

// Bold, italic and code; nothing that leads anywhere.
const INLINE = /(\*\*[^*\n]+\*\*|__[^_\n]+__|\*[^*\s][^*\n]*\*|\x60[^\x60\n]+\x60)/;
function inline(text) {
  return text.split(INLINE).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part[0] === '\x60') return el('code', '', part.slice(1, -1));
    return /^(\*\*|__)/.test(part) ? el('strong', '', part.slice(2, -2)) : el('em', '', part.slice(1, -1));
  });
}

// Lines that begin like headings or items of a list; the rest as it is.
function richText(text) {
  const out = [];
  let list;
  text.split('\n').forEach((line, index) => {
    const item = /^\s*[-*] +(.*)$/.exec(line);
    if (item) {
      if (!list) out.push((list = el('ul')));
      return list.append(el('li', '', ...inline(item[1])));
    }
    if (index > 0 && !list) out.push('\n');
    list = undefined;
    const heading = /^(#{1,5}) +(.*)$/.exec(line);
    if (heading) out.push(el('div', 'Text h' + heading[1].length, ...inline(heading[2])));
    else out.push(...inline(line));
  });
  return out;
}

const segmentsOf = (path) => path.replace(/\[(\d+)\]/g, '/$1').split(/[/.]/).filter(Boolean);
const absolute = (path, at) => (path.startsWith('/') ? path : at.replace(/\/$/, '') + '/' + (path === '.' ? '' : path));

function valueAt(data, path) {
  let value = data;
  for (const segment of segmentsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

function setAt(data, path, value) {
  const segments = segmentsOf(path);
  let inner = data;
  segments.slice(0, -1).forEach((segment) => {
    const next = Object.hasOwn(inner, segment) ? inner[segment] : undefined;
    if (typeof next === 'object' && next !== null) inner = next;
    else {
      const made = {};
      Object.defineProperty(inner, segment, { value: made, writable: true, enumerable: true, configurable: true });
      inner = made;
    }
  });
  if (segments.length > 0)
    Object.defineProperty(inner, segments.at(-1), { value, writable: true, enumerable: true, configurable: true });
}

const LITERALS = ['literalString', 'literalNumber', 'literalBoolean', 'literalArray', 'literal'];
function literalOf(bound) {
  const name = LITERALS.find((each) => Object.hasOwn(bound, each));
  return name === undefined ? undefined : bound[name];
}

// A literal, or a path into the data with a literal for where there is none.
function boundValue(bound, data, at) {
  if (typeof bound !== 'object' || bound === null) return bound;
  const found = typeof bound.path === 'string' ? valueAt(data, absolute(bound.path, at)) : undefined;
  return found ?? literalOf(bound);
}

const WEB = /^https?:\/\//i;
const isPicture = (url) => WEB.test(url) || /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(url);
const isSound = (url) => WEB.test(url) || /^data:(audio|video)\/[\w.+-]+[;,]/i.test(url);
const refused = (what) => el('div', 'refused', what);
const HEX = /^#[0-9a-f]{6}$/i;

// Dark letters on light colours.
function readableOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return r * 0.299 + g * 0.587 + b * 0.114 > 150 ? '#14161f' : '#fff';
}
`;
