/**
 * Colours, sizes and type of all pages, the reference among them. One accent; states have a colour and a
 * word.
 */
export const tokens = `:root {
  color-scheme: light dark;
  --page: light-dark(#fbfbfa, #0c0d0f);
  --card: light-dark(#ffffff, #141619);
  --sunken: light-dark(#f4f4f2, #0f1113);
  --line: light-dark(#e6e6e2, #26292e);
  --line-strong: light-dark(#8c8c86, #767b84);
  --text: light-dark(#16181a, #eceef0);
  --muted: light-dark(#5c6066, #a2a8b0);
  --accent: light-dark(#1f56d6, #8db1ff);
  --accent-soft: light-dark(#eaf0fe, #18233c);
  --ink: light-dark(#16181a, #f2f3f5);
  --on-ink: light-dark(#ffffff, #101214);
  --good: light-dark(#13713f, #63d296);
  --good-soft: light-dark(#e5f5ec, #11291d);
  --warn: light-dark(#8a5300, #f0b45a);
  --warn-soft: light-dark(#fdf1dd, #2e220f);
  --bad: light-dark(#b3261e, #ff9088);
  --bad-soft: light-dark(#fdebe9, #34171a);
  --idle: light-dark(#5c6066, #a2a8b0);
  --idle-soft: light-dark(#efefec, #202327);
  --radius: 10px;
  --small-radius: 7px;
  --shadow: 0 1px 2px rgb(0 0 0 / 5%);
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
  font: 0.9375rem/1.55 var(--sans);
  -webkit-text-size-adjust: 100%;
}`
