/** The style of the reference: readable on a desktop and a phone, in light and dark. */
export const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --faint: color-mix(in srgb, currentColor 8%, transparent);
    --line: color-mix(in srgb, currentColor 18%, transparent);
    --accent: light-dark(#1a5fb4, #8ab8f0); }
  * { box-sizing: border-box; }
  body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 54rem); gap: 2rem; }
  nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line);
    font-size: 0.875rem; }
  nav a, nav b { display: block; } nav > b { margin-top: 0.75rem; }
  nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
  main { padding: 1rem; min-width: 0; }
  h1 { line-height: 1.2; } h2 { margin: 4rem 0 1rem; padding-bottom: 0.25rem; border-bottom: 2px solid var(--line); }
  h3 { margin: 0 0 0.25rem; font-size: 1.125rem; } h4 { margin: 1rem 0 0.25rem; font-size: 0.875rem; opacity: 0.75; }
  section { margin: 0 0 3rem; scroll-margin-top: 1rem; } p { margin: 0.5rem 0; }
  a { color: var(--accent); } small { opacity: 0.7; }
  code, pre { font: 0.875em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { margin: 0.5rem 0; padding: 0.75rem; overflow: auto; border-radius: 0.375rem; background: var(--faint); }
  summary { cursor: pointer; }
  .path b { display: inline-block; min-width: 4rem; padding: 0 0.5rem; border-radius: 0.25rem; color: #fff;
    text-align: center; font-size: 0.8125rem; }
  .get { background: #1a5fb4; } .post { background: #1c7a3f; } .put, .patch { background: #8f5902; }
  .delete { background: #a51d2d; }
  .errors span { display: inline-block; margin-right: 0.75rem; font-size: 0.875rem; }
  table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; font-size: 0.9375rem; }
  th { font-size: 0.8125rem; opacity: 0.7; }
  th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; overflow-wrap: break-word; }
  td:first-child { min-width: 10rem; }
  tbody tr { border-top: 1px solid var(--line); }
  tr:has(:target), section:target > h3 { background: color-mix(in srgb, var(--accent) 18%, transparent); }
  @media (max-width: 50rem) {
    body { display: block; }
    nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); }
    nav div { display: flex; flex-wrap: wrap; gap: 0 0.75rem; } nav a { padding: 0.25rem 0; }
    thead { display: none; } td { display: block; padding: 0; } tbody tr { display: block; padding: 0.375rem 0; }
  }
`
