/** A surface with each of the 18 components of A2UI v0.8, as an agent would push it. */
const text = (id: string, value: string, usageHint?: string): object => ({
  id,
  component: { Text: { text: { literalString: value }, usageHint } },
});
const literal = (literalString: string): object => ({ literalString });
const list = (...explicitList: string[]): object => ({ explicitList });

const PICTURE =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="%23e0704a"/></svg>';

const components = [
  { id: 'root', component: { Column: { children: list('head', 'cards', 'tabsCard', 'foot') } } },
  { id: 'head', component: { Row: { children: list('avatar', 'titles', 'bell'), alignment: 'center' } } },
  { id: 'avatar', component: { Image: { url: literal(PICTURE), usageHint: 'avatar' } } },
  { id: 'titles', weight: 1, component: { Column: { children: list('title', 'sub') } } },
  text('title', 'Table for two', 'h1'),
  { id: 'sub', component: { Text: { text: { path: '/subtitle' }, usageHint: 'caption' } } },
  { id: 'bell', component: { Icon: { name: literal('notifications') } } },
  { id: 'cards', component: { Row: { children: list('formCard', 'menuCard'), alignment: 'stretch' } } },
  { id: 'formCard', weight: 1, component: { Card: { child: 'form' } } },
  { id: 'form', component: { Column: { children: list('name', 'when', 'party', 'veg', 'line', 'seat') } } },
  { id: 'name', component: { TextField: { label: literal('Name'), text: { path: '/form/name' } } } },
  {
    id: 'when',
    component: { DateTimeInput: { value: { path: '/form/when' }, enableDate: true, enableTime: true } },
  },
  { id: 'party', component: { Slider: { value: { path: '/form/party' }, minValue: 1, maxValue: 12 } } },
  { id: 'veg', component: { CheckBox: { label: literal('Vegetarian menu'), value: { path: '/form/veg' } } } },
  { id: 'line', component: { Divider: {} } },
  {
    id: 'seat',
    component: {
      MultipleChoice: {
        selections: { path: '/form/seat' },
        maxAllowedSelections: 1,
        options: [
          { label: literal('Window'), value: 'w' },
          { label: literal('Terrace'), value: 't' },
        ],
      },
    },
  },
  { id: 'menuCard', weight: 1, component: { Card: { child: 'menuColumn' } } },
  { id: 'menuColumn', component: { Column: { children: list('menuTitle', 'menu', 'audio', 'video') } } },
  text('menuTitle', 'Menu', 'h3'),
  {
    id: 'menu',
    component: { List: { children: { template: { componentId: 'dish', dataBinding: '/menu' } } } },
  },
  {
    id: 'dish',
    component: { Row: { children: list('dishName', 'dishPrice'), distribution: 'spaceBetween' } },
  },
  { id: 'dishName', component: { Text: { text: { path: 'name' } } } },
  { id: 'dishPrice', component: { Text: { text: { path: 'price' }, usageHint: 'h5' } } },
  {
    id: 'audio',
    component: { AudioPlayer: { url: literal('data:audio/wav;base64,'), description: literal('A word') } },
  },
  { id: 'video', component: { Video: { url: literal('data:video/mp4;base64,') } } },
  { id: 'tabsCard', component: { Card: { child: 'tabs' } } },
  {
    id: 'tabs',
    component: {
      Tabs: {
        tabItems: [
          { title: literal('Details'), child: 'details' },
          { title: literal('Directions'), child: 'directions' },
        ],
      },
    },
  },
  text('details', 'Open **Tuesday to Sunday**.\n- Dogs are *welcome*'),
  text('directions', 'Behind the station.'),
  { id: 'foot', component: { Row: { children: list('rules', 'book'), distribution: 'end' } } },
  { id: 'rules', component: { Modal: { entryPointChild: 'rulesButton', contentChild: 'rulesText' } } },
  { id: 'rulesButton', component: { Button: { child: 'rulesLabel', action: { name: 'rules' } } } },
  text('rulesLabel', 'House rules'),
  text('rulesText', 'Tables are held for 15 minutes.'),
  {
    id: 'book',
    component: {
      Button: {
        child: 'bookLabel',
        primary: true,
        action: {
          name: 'book',
          context: [
            { key: 'name', value: { path: '/form/name' } },
            { key: 'party', value: { path: '/form/party' } },
            { key: 'from', value: literal('canvas') },
          ],
        },
      },
    },
  },
  text('bookLabel', 'Book'),
];

const dish = (key: string, name: string, price: string): object => ({
  key,
  valueMap: [
    { key: 'name', valueString: name },
    { key: 'price', valueString: price },
  ],
});

const contents = [
  { key: 'subtitle', valueString: 'Friday evening' },
  {
    key: 'form',
    valueMap: [
      { key: 'name', valueString: 'Ada' },
      { key: 'party', valueNumber: 2 },
      { key: 'veg', valueBoolean: true },
      { key: 'when', valueString: '2026-11-20T19:30' },
      { key: 'seat', valueString: '["t"]' },
    ],
  },
  { key: 'menu', valueMap: [dish('a', 'Burrata', '12'), dish('b', 'Panna cotta', '8')] },
];

export const jsonl = (...messages: object[]): string =>
  messages.map((message) => JSON.stringify(message)).join('\n');

export const SAMPLE = jsonl(
  { surfaceUpdate: { surfaceId: 'main', components } },
  { dataModelUpdate: { surfaceId: 'main', contents } },
  { beginRendering: { surfaceId: 'main', root: 'root' } },
);
