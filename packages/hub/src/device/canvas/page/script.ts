/** The page's script: surfaces as the hub has them, drawn anew at each push; what a person does is told to the hub. */
import { ICONS } from './icons.ts';
import { SCRIPT_COMPONENTS } from './script-components.ts';
import { SCRIPT_PARTS } from './script-parts.ts';

/** Of all components of one surface, those of templates counted as often as they are drawn. */
const MAX_NODES = 5_000;
const MAX_PICTURES = 200;
const MAX_DEPTH = 64;

/** The function that the hub calls in the page, and the one that the page calls to tell the hub something. */
export const SHOW = 'pincerShow';
export const TELL = 'pincerTell';

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
    if (++nodes > MAX_NODES || way.length >= MAX_DEPTH) return nodes === MAX_NODES + 1 ? refused('There is more than can be shown.') : undefined;
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
        // A value without a path is not in the data: it is kept in the component itself.
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
        // Only what a person does: scripts can click, too.
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
