/**
 * The most that a figure may be, and the least that it must be. Seconds, kilobytes, milliseconds, shares,
 * Lighthouse's points.
 */
const most: Record<string, number> = {
  axe: 0,
  untrue: 0,
  kb_js_css: 25,
  kb_page: 40,
  first_event_s: 10,
  signup_to_webhook_s: 60,
  signup_clicks: 6,
  shown_late_ms_p99: 100,
  shown_sent_ms_p99: 100,
  shown_came_ms_p99: 100,
  answer_s: 20,
  answer_clicks: 3,
  qr_seen_s: 3,
  kill_seen_s: 15,
  kill_lost_s: 45,
  numbers_10000_s: 1,
  where_is_it_s: 2,
  // Clicks; that of a code is typed.
  sign_up: 1,
  link_phone: 2,
  webhook_test: 2,
  see_failed: 0,
  find_out_why: 1,
  resend: 1,
  did_it_arrive: 1,
  why_refused: 1,
  invite: 2,
  join: 1,
  cancel: 2,
}
const least: Record<string, number> = {
  qr_fresh: 1,
  performance: 95,
  accessibility: 100,
  "best-practices": 100,
}

/** The goals that these figures miss, by name. One that was not measured is not missed. */
export function missedBy(figures: Record<string, number>): string[] {
  return Object.entries(figures)
    .filter(isMissed)
    .map(([name]) => name)
}

function isMissed([name, figure]: [string, number]): boolean {
  return !(figure <= (most[name] ?? Infinity) && figure >= (least[name] ?? -Infinity))
}
