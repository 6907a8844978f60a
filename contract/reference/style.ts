import { tokens } from "#contract/reference/design-tokens.ts"

/**
 * The style of the reference: that of the dashboard, readable on a desktop and a phone, in light and dark.
 */
export const style = `${tokens}
  * { box-sizing: border-box; }
  body { margin: 0; display: grid; grid-template-columns: 16rem minmax(0, 1fr); background: var(--page);
    color: var(--text); }
  nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.125rem 0.875rem 3rem;
    border-right: 1px solid var(--line); background: var(--sunken); font-size: 0.8125rem; }
  nav a, nav b { display: block; padding: 0.1875rem 0.5rem; overflow-wrap: anywhere; }
  nav > b { margin-top: 1.125rem; color: var(--text); font-weight: 600; }
  nav a { color: var(--muted); text-decoration: none; border-radius: var(--small-radius); }
  nav a:hover { background: var(--idle-soft); color: var(--text); }
  nav a b { display: inline; padding: 0; color: var(--text); font-weight: 600; }
  nav > a:first-child b { font-size: 0.9375rem; font-weight: 640; }
  nav > a { padding-block: 0.3125rem; }
  nav > a[aria-current] { background: var(--idle-soft); }
  nav div { padding-left: 0.625rem; }
  nav summary { padding: 0.375rem 0.5rem; color: var(--text); font-weight: 600; }
  nav form { display: flex; gap: 0.375rem; margin: 0.625rem 0.25rem 0.875rem; }
  input, button { font: inherit; font-size: 0.8125rem; padding: 0.3125rem 0.625rem; border: 1px solid var(--line-strong);
    border-radius: var(--small-radius); background: var(--card); color: var(--text); }
  input { min-width: 0; flex: 1; }
  button { cursor: pointer; }
  .code { position: relative; }
  .code pre { padding-right: 4.75rem; }
  .code button { position: absolute; top: 0.4375rem; right: 0.4375rem; padding: 0.125rem 0.5rem; border-color: var(--line); }
  .found p { margin: 0 0 0.875rem; overflow-wrap: anywhere; }
  main { width: 100%; max-width: 58rem; margin: 0 auto; padding: 2.25rem 2.25rem 5rem; min-width: 0; }
  h1, h2, h3 { letter-spacing: -0.012em; text-wrap: balance; }
  h1 { margin: 0 0 1rem; font-size: 1.625rem; line-height: 1.25; font-weight: 640; }
  h2 { margin: 4rem 0 1.25rem; font-size: 1.25rem; font-weight: 620; }
  h3 { margin: 0 0 0.25rem; font-size: 1.0625rem; font-weight: 620; }
  h4 { margin: 1.25rem 0 0.375rem; font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
  section { margin: 0 0 1.25rem; padding: 1.25rem; scroll-margin-top: 1rem; background: var(--card);
    border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); }
  section > h2 { margin: 0 0 0.75rem; }
  p { margin: 0.5rem 0; }
  a { color: var(--accent); text-underline-offset: 0.2em; }
  small { color: var(--muted); font-size: 0.8125rem; }
  code, pre { font: 0.8125rem/1.6 var(--mono); overflow-wrap: anywhere; }
  pre { margin: 0.5rem 0; padding: 0.875rem 1rem; white-space: pre-wrap; border: 1px solid var(--line);
    border-radius: var(--small-radius); background: var(--sunken); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
  summary { cursor: pointer; padding: 0.375rem 0; font-weight: 550; }
  .path { display: flex; flex-wrap: wrap; gap: 0.375rem 0.625rem; align-items: baseline; }
  .path b { padding: 0.0625rem 0.5rem; border-radius: 5px; font: 600 0.75rem/1.6 var(--mono);
    background: var(--idle-soft); color: var(--text); }
  .path .get { background: var(--accent-soft); color: var(--accent); }
  .path .post { background: var(--good-soft); color: var(--good); }
  .path .put, .path .patch { background: var(--warn-soft); color: var(--warn); }
  .path .delete { background: var(--bad-soft); color: var(--bad); }
  .path a { margin-left: auto; font-size: 0.8125rem; }
  .page { padding: 1.75rem; }
  .page h1 { margin-bottom: 1.25rem; }
  .page h2 { margin: 2.5rem 0 0.625rem; scroll-margin-top: 1rem; }
  .page h3 { margin: 1.75rem 0 0.375rem; scroll-margin-top: 1rem; }
  .page p { margin: 0.75rem 0; }
  .page li { margin: 0.3125rem 0; }
  .page ul, .page ol { padding-left: 1.375rem; }
  .page img { max-width: 100%; border: 1px solid var(--line); border-radius: var(--small-radius); }
  .page blockquote { margin: 1rem 0; padding: 0.125rem 1rem; border-left: 3px solid var(--line-strong); }
  .page .wide { overflow-x: auto; margin: 1rem 0; }
  .page td:first-child { min-width: 7rem; }
  .page .next { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
  .errors span { display: inline-block; margin-right: 0.75rem; font-size: 0.8125rem; }
  table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; font-size: 0.875rem; }
  th { color: var(--muted); font-size: 0.75rem; font-weight: 550; }
  th, td { text-align: left; vertical-align: top; padding: 0.4375rem 0.875rem 0.4375rem 0;
    overflow-wrap: break-word; }
  td:first-child { min-width: 10rem; }
  tbody tr { border-top: 1px solid var(--line); }
  tr:has(:target), section:target > h3 { background: var(--accent-soft); }
  @media (max-width: 52rem) {
    body { display: block; }
    nav { position: static; height: auto; padding-bottom: 1rem; border: 0; border-bottom: 1px solid var(--line); }
    nav, nav div { display: flex; flex-wrap: wrap; } nav div, nav form, nav > a:first-child { flex-basis: 100%; }
    nav a { padding: 0.3125rem 0.5rem; } nav details[open] { flex-basis: 100%; }
    nav details a { display: inline-block; } nav details div { padding: 0 0 0 0.625rem; }
    main { padding: 1.375rem 1rem 4rem; }
    section, .page { padding: 1rem; }
    thead { display: none; } td { display: block; padding: 0; }
    tbody tr { display: block; padding: 0.4375rem 0; }
    .page thead { display: table-header-group; } .page tr { display: table-row; }
    .page td { display: table-cell; padding: 0.4375rem 0.875rem 0.4375rem 0; }
  }
`
