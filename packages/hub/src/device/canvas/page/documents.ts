/** The document that A2UI is drawn in: its policy, its style and its icons. */
import { createHash } from 'node:crypto';

/** Light or dark, as the person's system is set. */
const STYLE = String.raw`
:root {
  color-scheme: light dark;
  --primary: #4453d6; --on-primary: #fff;
  --back: #f4f5f8; --card: #fff; --field: #fff; --line: #e2e5ec; --text: #191c24; --soft: #5f6675; --bad: #c62f3d;
  --shadow: 0 1px 2px rgb(20 24 40 / 6%), 0 6px 20px rgb(20 24 40 / 6%);
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --primary: #98a4ff; --on-primary: #10132b;
    --back: #111318; --card: #1a1d25; --field: #14171e; --line: #2d323e; --text: #e8eaf1; --soft: #9aa2b4; --bad: #ff8b93;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
* { box-sizing: border-box; }
html { height: 100%; }
body { margin: 0; min-height: 100%; background: var(--back); color: var(--text); font: 15px/1.5 var(--font); -webkit-font-smoothing: antialiased; }
#surfaces { max-width: 960px; margin: 0 auto; padding: 28px; display: flex; flex-direction: column; gap: 20px; }
.empty { padding: 20vh 0; text-align: center; color: var(--soft); }
.surface { display: flex; flex-direction: column; min-width: 0; }
.Row, .Column, .List { display: flex; gap: 12px; min-width: 0; }
.Column, .List { flex-direction: column; }
.Row { align-items: center; flex-wrap: wrap; }
.Row.weighted { flex-wrap: nowrap; }
.List.horizontal { flex-direction: row; overflow-x: auto; padding-bottom: 6px; }
.List.horizontal > * { flex: 0 0 auto; max-width: 75%; }
.Row > *, .Column > * { min-width: 0; }
.Card { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 20px; box-shadow: var(--shadow); min-width: 0; }
.Card .Card { box-shadow: none; border-radius: 12px; padding: 16px; }
.Text { overflow-wrap: anywhere; white-space: pre-wrap; }
.Text ul { margin: 4px 0; padding-left: 1.3em; white-space: normal; }
.Text:is(.h1, .h2, .h3, .h4) + .Text.caption { margin-top: -8px; }
.Text code { font: .92em ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; background: color-mix(in srgb, var(--text) 8%, transparent); border-radius: 5px; padding: .1em .35em; }
.Text.h1 { font-size: 30px; line-height: 1.2; font-weight: 700; letter-spacing: -.02em; }
.Text.h2 { font-size: 24px; line-height: 1.25; font-weight: 700; letter-spacing: -.015em; }
.Text.h3 { font-size: 20px; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; }
.Text.h4 { font-size: 17px; line-height: 1.4; font-weight: 650; }
.Text.h5 { font-size: 15px; font-weight: 650; }
.Text.caption { font-size: 13px; color: var(--soft); }
.Icon { width: 24px; height: 24px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.Image { display: block; max-width: 100%; border-radius: 12px; background: color-mix(in srgb, var(--text) 6%, transparent); object-fit: cover; }
.Image.icon { width: 32px; height: 32px; border-radius: 8px; }
.Image.avatar { width: 48px; height: 48px; border-radius: 50%; }
.Image.smallFeature { width: 120px; height: 90px; }
.Image.mediumFeature { width: 240px; height: 180px; }
.Image.largeFeature { width: 100%; max-height: 420px; }
.Image.header { width: 100%; height: 220px; }
.Video { width: 100%; max-height: 480px; border-radius: 12px; background: #000; }
.AudioPlayer { display: flex; flex-direction: column; gap: 8px; }
.AudioPlayer audio { width: 100%; height: 44px; }
.refused { padding: 12px 14px; border: 1px dashed var(--line); border-radius: 12px; color: var(--soft); font-size: 13px; }
hr.Divider { width: 100%; border: 0; border-top: 1px solid var(--line); margin: 4px 0; }
hr.Divider.vertical { width: 0; height: auto; align-self: stretch; border-top: 0; border-left: 1px solid var(--line); margin: 0 4px; }
button { font: inherit; color: inherit; cursor: pointer; }
.Button { display: inline-flex; align-items: center; justify-content: center; gap: 8px; width: fit-content; min-height: 40px; padding: 8px 18px; border-radius: 10px; border: 1px solid var(--line); background: var(--card); font-weight: 600; transition: filter .12s, transform .06s, opacity .2s; }
.Button.primary { background: var(--primary); border-color: transparent; color: var(--on-primary); }
.Button:hover { filter: brightness(.96); }
.Button:active { transform: translateY(1px); }
.Button.sent { opacity: .55; }
:focus-visible { outline: 2px solid var(--primary); outline-offset: 2px; }
.field { display: flex; flex-direction: column; gap: 6px; }
.field > span { font-size: 13px; font-weight: 600; color: var(--soft); }
input, textarea { font: inherit; color: inherit; }
.box { width: 100%; min-height: 42px; padding: 9px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--field); }
textarea.box { min-height: 104px; resize: vertical; }
.box:focus { outline: none; border-color: var(--primary); box-shadow: 0 0 0 3px color-mix(in srgb, var(--primary) 22%, transparent); }
.box:user-invalid { border-color: var(--bad); }
.tick { display: flex; align-items: center; gap: 10px; cursor: pointer; }
.tick input { width: 18px; height: 18px; margin: 0; accent-color: var(--primary); flex: none; }
.MultipleChoice { display: flex; flex-direction: column; gap: 10px; }
.MultipleChoice .chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { padding: 6px 14px; border: 1px solid var(--line); border-radius: 999px; background: var(--card); }
.chip[aria-pressed=true] { background: color-mix(in srgb, var(--primary) 16%, var(--card)); border-color: var(--primary); color: var(--primary); font-weight: 600; }
.Slider { display: flex; align-items: center; gap: 14px; }
.Slider input { flex: 1; accent-color: var(--primary); min-width: 80px; }
.Slider output { min-width: 3ch; text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
.Tabs { display: flex; flex-direction: column; gap: 16px; min-width: 0; }
.tabs { display: flex; gap: 4px; border-bottom: 1px solid var(--line); overflow: auto hidden; }
.tabs button { border: 0; background: none; padding: 8px 14px 10px; color: var(--soft); font-weight: 600; border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap; }
.tabs button[aria-selected=true] { color: var(--primary); border-bottom-color: var(--primary); }
.Modal { width: fit-content; cursor: pointer; }
dialog { border: 1px solid var(--line); border-radius: 18px; padding: 24px; width: min(560px, calc(100vw - 48px)); max-height: calc(100vh - 48px); background: var(--card); color: var(--text); box-shadow: 0 20px 60px rgb(0 0 0 / 30%); }
dialog::backdrop { background: rgb(10 12 20 / 45%); }
dialog .close { position: absolute; top: 12px; right: 12px; width: 34px; height: 34px; display: grid; place-items: center; border: 0; border-radius: 50%; background: none; color: var(--soft); }
dialog .close .Icon { width: 18px; height: 18px; }
@media (max-width: 560px) {
  #surfaces { padding: 16px; }
  .Row.weighted:has(> .Card) { flex-wrap: wrap; }
  .Row.weighted > .Card { flex-basis: 100% !important; }
}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** No script runs in the page: the drawing script runs in an isolated world. Media come from the web or from data URIs. */
const POLICY = [
  "default-src 'none'",
  'img-src http: https: data:',
  'media-src http: https: data:',
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const A2UI_DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Canvas</title>
<style>${STYLE}</style>
</head>
<body><main id="surfaces"></main></body>
</html>
`;

/** Icons of A2UI's standard catalog, as strokes in a box of 24 by 24. */
export const ICONS: Readonly<Record<string, string>> = {
  accountCircle:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M6 18.5c1.5-2.3 3.6-3.5 6-3.5s4.5 1.2 6 3.5',
  add: 'M12 5v14M5 12h14',
  arrowBack: 'M19 12H5M11 18l-6-6 6-6',
  arrowForward: 'M5 12h14M13 6l6 6-6 6',
  attachFile: 'M20 11.5l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.7 17a1.6 1.6 0 0 1-2.3-2.3L15 7',
  calendarToday: 'M5 5h14v15H5zM5 10h14M9 3v4M15 3v4M9 14h.01',
  call: 'M6 3h3.5l1.5 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 1.5V18a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3',
  camera: 'M4 8h4l1.5-2.5h5L16 8h4v11H4zM12 10a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6',
  check: 'M5 12.5l4.5 4.5L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  delete: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  event: 'M5 5h14v15H5zM5 10h14M9 3v4M15 3v4M13 14h3v3h-3z',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v6M12 16.5v.01',
  favorite: 'M12 20s-8-4.8-8-10.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8 2.5C20 15.2 12 20 12 20z',
  favoriteOff: 'M12 20s-8-4.8-8-10.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8 2.5C20 15.2 12 20 12 20zM4 4l16 16',
  folder: 'M3 6h6l2 2h10v11H3z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.7v.01',
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.5v.01',
  locationOn:
    'M12 21s7-6.3 7-11.5a7 7 0 0 0-14 0C5 14.7 12 21 12 21zM12 7.5a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  lockOpen: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 6.8-1.2',
  mail: 'M3 6h18v12H3zM3 7l9 6.5L21 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moreVert: 'M12 5.5v.01M12 12v.01M12 18.5v.01',
  moreHoriz: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  notificationsOff: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10.5 21h3M4 4l16 16',
  notifications: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10.5 21h3',
  payment: 'M3 6h18v12H3zM3 10h18M6.5 14.5h4',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c1.2-3.5 4-5.5 7.5-5.5s6.3 2 7.5 5.5',
  phone: 'M8 3h8v18H8zM11 18h2',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9h.01',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9M20 4v5h-5',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20.5 20.5',
  send: 'M4 12L20 4l-4.5 16-4-6.5zM11.5 13.5L20 4',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2',
  share:
    'M17 4a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M6 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M17 15a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8.3 11l6.4-3.5M8.3 13l6.4 3.5',
  shoppingCart: 'M3 4h3l2.5 11h9.5l2-8H7M9.5 19.5h.01M17 19.5h.01',
  star: 'M12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-3-5.3 3 1.1-6L3.4 9.8l6-.8z',
  starHalf: 'M12 3.5V17l-5.3 3 1.1-6L3.4 9.8l6-.8zM12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-3',
  starOff: 'M12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-3-5.3 3 1.1-6L3.4 9.8l6-.8zM4 4l16 16',
  upload: 'M12 20V9M7 13.5l5-5 5 5M5 4h14',
  visibility:
    'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4',
  visibilityOff:
    'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M4 4l16 16',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.3v.01',
};
