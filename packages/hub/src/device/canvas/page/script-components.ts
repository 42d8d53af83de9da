/** The part of the page's script that draws each component. `x` is its context: surface, place in the data, keys. */
export const SCRIPT_COMPONENTS = String.raw`
const FLEX = { start: 'flex-start', end: 'flex-end', center: 'center', stretch: 'stretch', spaceBetween: 'space-between', spaceAround: 'space-around', spaceEvenly: 'space-evenly' };
const oneOf = (value, allowed, fallback) => (allowed.includes(value) ? value : fallback);

function container(tagClass, props, x) {
  const box = el('div', tagClass);
  const children = childrenOf(props.children, x);
  box.append(...children);
  if (children.some((child) => child.style.flexGrow)) box.classList.add('weighted');
  if (Object.hasOwn(FLEX, props.distribution)) box.style.justifyContent = FLEX[props.distribution];
  if (Object.hasOwn(FLEX, props.alignment)) box.style.alignItems = FLEX[props.alignment];
  return box;
}

function labelled(label, control, x) {
  const caption = el('span');
  x.bind(() => (caption.textContent = textOf(x.value(label))));
  return el('label', 'field', caption, control);
}

function tick(type, label, x) {
  const input = el('input');
  input.type = type;
  const caption = el('span');
  x.bind(() => (caption.textContent = textOf(x.value(label))));
  return { input, row: el('label', 'tick', input, caption) };
}

// A control that shows a bound value and writes it back.
function connect(control, bound, x, { read, show, on = 'input' }) {
  x.focusable(control);
  x.bind(() => show(x.value(bound)));
  control.addEventListener(on, () => x.write(bound, read()));
  return control;
}

function media(kind, url, x) {
  const element = el(kind, kind === 'video' ? 'Video' : '');
  element.controls = true;
  element.preload = 'metadata';
  const holder = el('div');
  x.bind(() => {
    const address = textOf(x.value(url));
    if (!isSound(address)) return holder.replaceChildren(refused('This address cannot be played.'));
    if (element.src !== address) element.src = address;
    holder.replaceChildren(element);
  });
  return holder;
}

const TYPES = { date: 'date', number: 'number', obscured: 'password' };

const COMPONENTS = {
  Row: (props, x) => container('Row', props, x),
  Column: (props, x) => container('Column', props, x),
  List: (props, x) => container(props.direction === 'horizontal' ? 'List horizontal' : 'List', props, x),
  Card: (props, x) => el('div', 'Card', x.child(props.child)),
  Divider: (props) => el('hr', props.axis === 'vertical' ? 'Divider vertical' : 'Divider'),
  Text(props, x) {
    const text = el('div', 'Text ' + oneOf(props.usageHint, ['h1', 'h2', 'h3', 'h4', 'h5', 'caption'], 'body'));
    x.bind(() => text.replaceChildren(...richText(textOf(x.value(props.text)))));
    return text;
  },
  Icon(props, x) {
    const holder = el('span');
    holder.style.display = 'inline-flex';
    x.bind(() => holder.replaceChildren(iconOf(textOf(x.value(props.name)))));
    return holder;
  },
  Image(props, x) {
    const hint = oneOf(props.usageHint, ['icon', 'avatar', 'smallFeature', 'mediumFeature', 'largeFeature', 'header'], '');
    const image = el('img', 'Image ' + hint);
    image.referrerPolicy = 'no-referrer';
    image.alt = '';
    image.style.objectFit = oneOf(props.fit, ['contain', 'cover', 'fill', 'none', 'scale-down'], '');
    const holder = el('div');
    x.bind(() => {
      const address = textOf(x.value(props.url));
      if (!isPicture(address) || !x.mayShowPicture()) return holder.replaceChildren(refused('This picture cannot be shown.'));
      if (image.src !== address) image.src = address;
      holder.replaceChildren(image);
    });
    return holder;
  },
  Video: (props, x) => media('video', props.url, x),
  AudioPlayer(props, x) {
    const caption = el('div', 'Text h5');
    x.bind(() => (caption.textContent = textOf(x.value(props.description))));
    return el('div', 'AudioPlayer', caption, media('audio', props.url, x));
  },
  Button(props, x) {
    const button = el('button', props.primary === true ? 'Button primary' : 'Button', x.child(props.child));
    button.type = 'button';
    x.focusable(button);
    button.addEventListener('click', (event) => {
      if (!x.act(event)) return;
      button.classList.add('sent');
      setTimeout(() => button.classList.remove('sent'), 900);
    });
    return button;
  },
  CheckBox(props, x) {
    const { input, row } = tick('checkbox', props.label, x);
    connect(input, props.value, x, { read: () => input.checked, show: (value) => (input.checked = value === true) });
    return row;
  },
  TextField(props, x) {
    const input = el(props.textFieldType === 'longText' ? 'textarea' : 'input', 'box');
    if (Object.hasOwn(TYPES, props.textFieldType)) input.type = TYPES[props.textFieldType];
    if (typeof props.validationRegexp === 'string' && 'pattern' in input) input.pattern = props.validationRegexp;
    const show = (value) => {
      if (input.value !== textOf(value)) input.value = textOf(value);
    };
    connect(input, props.text, x, { read: () => input.value, show });
    return labelled(props.label, input, x);
  },
  DateTimeInput(props, x) {
    const input = el('input', 'box');
    input.type = props.enableTime !== true && props.enableDate === true ? 'date' : props.enableDate !== true && props.enableTime === true ? 'time' : 'datetime-local';
    const length = { date: 10, time: 5, 'datetime-local': 16 }[input.type];
    const show = (value) => {
      const text = (input.type === 'time' ? textOf(value).replace(/^.*T/, '') : textOf(value)).slice(0, length);
      if (document.activeElement !== input) input.value = text;
    };
    connect(input, props.value, x, { read: () => input.value, show });
    return props.label === undefined ? input : labelled(props.label, input, x);
  },
  MultipleChoice(props, x) {
    const options = (Array.isArray(props.options) ? props.options : []).slice(0, 500);
    const limit = Number.isInteger(props.maxAllowedSelections) ? props.maxAllowedSelections : options.length;
    const chosen = () => {
      const value = x.value(props.selections);
      return (Array.isArray(value) ? value : value === undefined || value === null ? [] : typeof value === 'object' ? Object.values(value) : [value]).map(textOf);
    };
    const toggle = (value) => {
      const rest = chosen().filter((each) => each !== value);
      if (rest.length !== chosen().length) return x.write(props.selections, limit === 1 ? [value] : rest);
      x.write(props.selections, [...(limit === 1 ? [] : rest), value].slice(0, Math.max(1, limit)));
    };
    const isChips = props.type === 'chips';
    const rows = options.map((option) => {
      const value = textOf(option?.value);
      if (isChips) {
        const chip = el('button', 'chip');
        chip.type = 'button';
        x.bind(() => {
          chip.textContent = textOf(x.value(option?.label));
          chip.setAttribute('aria-pressed', String(chosen().includes(value)));
        });
        chip.addEventListener('click', () => toggle(value));
        return chip;
      }
      const { input, row } = tick(limit === 1 ? 'radio' : 'checkbox', option?.label, x);
      x.bind(() => (input.checked = chosen().includes(value)));
      input.addEventListener('change', () => toggle(value));
      return row;
    });
    const box = el('div', 'MultipleChoice');
    if (props.filterable === true) {
      const search = el('input', 'box');
      search.type = 'search';
      search.placeholder = 'Search';
      search.addEventListener('input', () => {
        const wanted = search.value.toLowerCase();
        for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
      box.append(search);
    }
    if (isChips) box.append(el('div', 'chips', ...rows));
    else box.append(...rows);
    return box;
  },
  Slider(props, x) {
    const input = el('input');
    input.type = 'range';
    input.min = Number(props.minValue ?? 0);
    input.max = Number(props.maxValue ?? 100);
    input.step = Number(input.max) - Number(input.min) <= 1 ? 0.01 : 1;
    const shown = el('output');
    const show = (value) => {
      input.value = Number(value ?? input.min);
      shown.textContent = input.value;
    };
    connect(input, props.value, x, { read: () => Number(input.value), show });
    return el('div', 'Slider', input, shown);
  },
  Tabs(props, x) {
    const items = (Array.isArray(props.tabItems) ? props.tabItems : []).slice(0, 50);
    const body = el('div');
    const show = (index) => {
      x.remember('tab', index);
      buttons.forEach((button, at) => button.setAttribute('aria-selected', String(at === index)));
      panels.forEach((panel, at) => (panel.hidden = at !== index));
    };
    const panels = items.map((item) => el('div', '', x.child(item?.child)));
    const buttons = items.map((item, index) => {
      const button = el('button');
      button.type = 'button';
      button.setAttribute('role', 'tab');
      x.bind(() => (button.textContent = textOf(x.value(item?.title))));
      button.addEventListener('click', () => show(index));
      return button;
    });
    body.append(...panels);
    const bar = el('div', 'tabs', ...buttons);
    bar.setAttribute('role', 'tablist');
    if (items.length > 0) show(Math.min(x.remembered('tab') ?? 0, items.length - 1));
    return el('div', 'Tabs', bar, body);
  },
  Modal(props, x) {
    const entry = el('div', 'Modal', x.child(props.entryPointChild));
    const close = el('button', 'close', iconOf('close'));
    close.type = 'button';
    const dialog = el('dialog', '', close, x.child(props.contentChild));
    const open = () => {
      x.remember('open', true);
      if (!dialog.open) dialog.showModal();
    };
    entry.addEventListener('click', open);
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => x.remember('open', false));
    if (x.remembered('open')) x.whenShown(open);
    return el('div', '', entry, dialog);
  },
};
`;
