/** The script of the page: redraws the surfaces after each push, and reports actions of the person to the hub. */
import { ICONS } from './documents.ts';
import { SCRIPT_COMPONENTS } from './script-components.ts';

/** Components per surface. A component of a template counts each time it is drawn. */
const MAX_NODES = 5_000;
const MAX_PICTURES = 200;
const MAX_DEPTH = 64;

/** The function that the hub calls in the page, and the function that the page calls to send a message to the hub. */
export const SHOW = 'pincerShow';
export const TELL = 'pincerTell';

/**
 * The part of the page's script that is independent of components: elements, texts, values. The script runs in an
 * isolated world, invisible to scripts of the page. Input from agents becomes text nodes and checked attributes, never
 * markup.
 */
const SCRIPT_PARTS = String.raw`
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

// Bold, italic and code. No links.
const INLINE = /(\*\*[^*\n]+\*\*|__[^_\n]+__|\*[^*\s][^*\n]*\*|\x60[^\x60\n]+\x60)/;
function inline(text) {
  return text.split(INLINE).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part[0] === '\x60') return el('code', '', part.slice(1, -1));
    return /^(\*\*|__)/.test(part) ? el('strong', '', part.slice(2, -2)) : el('em', '', part.slice(1, -1));
  });
}

// Formats headings and list items. Other lines only get inline formatting.
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

// A literal, or a path into the data with a literal as default.
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

// Returns dark text for light colours.
function readableOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return r * 0.299 + g * 0.587 + b * 0.114 > 150 ? '#14161f' : '#fff';
}
`;

const SCRIPT_SURFACES = String.raw`
const memory = new Map();
const tell = (message) => TELL(JSON.stringify(message));

function childrenOf(children, x) {
  const list = Array.isArray(children) ? children : children?.explicitList;
  if (Array.isArray(list)) return list.map((id) => x.child(id)).filter(Boolean);
  const template = children?.template;
  if (typeof template?.componentId !== 'string' || typeof template.dataBinding !== 'string') return [];
  const at = absolute(template.dataBinding, x.at).replace(/\/$/, '');
  const items = valueAt(x.surface.data, at);
  if (typeof items !== 'object' || items === null) return [];
  return Object.keys(items).map((key) => x.child(template.componentId, at + '/' + key)).filter(Boolean);
}

function draw(surfaceId, surface) {
  const updates = [];
  const whenShown = [];
  let nodes = 0;
  let pictures = 0;
  const refresh = () => updates.forEach((update) => update());

  function make(id, at, way) {
    const component = typeof id === 'string' && Object.hasOwn(surface.components, id) ? surface.components[id] : undefined;
    if (component === undefined || way.includes(id)) return undefined;
    if (++nodes > MAX_NODES || way.length >= MAX_DEPTH) return nodes === MAX_NODES + 1 ? refused('The surface is too large to be shown in full.') : undefined;
    const key = surfaceId + '\n' + id + '\n' + at;
    const x = {
      surface,
      at,
      value: (bound) => boundValue(bound, surface.data, at),
      bind(update) {
        update();
        updates.push(update);
      },
      child: (childId, childAt = at) => make(childId, childAt, [...way, id]),
      write(bound, value) {
        // A value without a path is not part of the data, so the component keeps it.
        if (typeof bound !== 'object' || bound === null || typeof bound.path !== 'string') {
          if (typeof bound === 'object' && bound !== null) LITERALS.filter((name) => Object.hasOwn(bound, name)).forEach((name) => (bound[name] = value));
          return refresh();
        }
        const path = absolute(bound.path, at);
        setAt(surface.data, path, value);
        tell({ kind: 'data', surfaceId, path, value });
        refresh();
      },
      act(event) {
        // Accepts only a person's clicks: scripts can click, too.
        if (!event.isTrusted || component.props.action?.name === undefined) return false;
        tell({ kind: 'action', surfaceId, componentId: id, at });
        return true;
      },
      focusable: (element) => (element.dataset.key = key),
      mayShowPicture: () => ++pictures <= MAX_PICTURES,
      remember: (name, value) => memory.set(key + '\n' + name, value),
      remembered: (name) => memory.get(key + '\n' + name),
      whenShown: (action) => whenShown.push(action),
    };
    const element = COMPONENTS[component.type](component.props, x);
    if (typeof component.weight === 'number') {
      element.style.flexGrow = String(component.weight);
      element.style.flexBasis = '0';
    }
    element.dataset.component = id;
    return element;
  }

  const section = el('section', 'surface');
  section.dataset.surface = surfaceId;
  const { primaryColor, font } = surface.styles ?? {};
  if (typeof primaryColor === 'string' && HEX.test(primaryColor)) {
    section.style.setProperty('--primary', primaryColor);
    section.style.setProperty('--on-primary', readableOn(primaryColor));
  }
  if (typeof font === 'string' && /^[\w ,'-]{1,100}$/.test(font)) section.style.fontFamily = font + ', var(--font)';
  const root = make(surface.root, '/', []);
  if (root === undefined) return undefined;
  section.append(root);
  return { section, shown: () => whenShown.forEach((action) => action()) };
}

SHOW = (surfaces) => {
  const focused = document.activeElement;
  const key = focused?.dataset?.key;
  const caret = 'selectionStart' in (focused ?? {}) ? focused.selectionStart : null;
  const scroll = scrollY;
  const drawn = surfaces.map(([id, surface]) => draw(id, surface)).filter(Boolean);
  const main = document.getElementById('surfaces');
  main.replaceChildren(...(drawn.length > 0 ? drawn.map(({ section }) => section) : [el('div', 'empty', 'Nothing to show yet.')]));
  drawn.forEach(({ shown }) => shown());
  scrollTo(0, scroll);
  const again = key === undefined ? undefined : [...main.querySelectorAll('[data-key]')].find((each) => each.dataset.key === key);
  again?.focus();
  try {
    if (caret !== null) again?.setSelectionRange(caret, caret);
  } catch {}
  return drawn.length;
};
`;

export const SCRIPT = [
  '(() => {',
  `const ICONS = ${JSON.stringify(ICONS)};`,
  `const [MAX_NODES, MAX_PICTURES, MAX_DEPTH] = [${MAX_NODES}, ${MAX_PICTURES}, ${MAX_DEPTH}];`,
  SCRIPT_PARTS,
  SCRIPT_COMPONENTS,
  SCRIPT_SURFACES.replaceAll('TELL(', `${TELL}(`).replace('SHOW =', `globalThis.${SHOW} =`),
  '})()',
].join('\n');
