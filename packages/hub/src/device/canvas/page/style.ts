/** How the canvas looks: quiet, readable, light or dark as the person has it. */
export const STYLE = String.raw`
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
