// Draws the page. It decides nothing.

const element = (id) => document.getElementById(id);
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

/** Draws the parts that do not change: the choice of packaging, and a place for each key period. */
export function layOut({ presentations, periodSeconds }, periods) {
  for (const span of document.querySelectorAll('[data-period-seconds]')) span.textContent = periodSeconds;
  element('choice').append(...presentations.map(choiceOf));
  element('strip').append(...periods.map(() => document.createElement('span')), mark());
  element('periods').append(
    ...periods.map(() => {
      const item = document.createElement('li');
      item.append(text('period', ''), text('range', ''), text('key', ''));
      return item;
    }),
  );
}

function choiceOf({ id, label }, index) {
  const radio = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'presentation',
    value: id,
  });
  radio.checked = index === 0;
  const choice = document.createElement('label');
  choice.append(radio, text('', label));
  return choice;
}

function text(className, content) {
  return Object.assign(document.createElement('span'), { className, textContent: content });
}

function mark() {
  return Object.assign(document.createElement('i'), { className: 'playhead' });
}

/** Leaves text that has not changed alone: a screen reader would repeat it. */
function write(target, content) {
  if (target.textContent !== content) target.textContent = content;
}

function say(id, content) {
  write(element(id), content);
}

/** @param {{phase: string, status: string, cover: string, button: string | undefined}} session */
export function showSession({ phase, status, cover, button }) {
  document.body.dataset.phase = phase;
  say('status', status);
  say('cover-text', cover);
  const covered = button !== undefined;
  element('cover').hidden = !covered;
  // The cover hides its controls.
  element('video').inert = covered;
  if (covered) say('start', button);
  element('start').disabled = !covered;
}

/** @param {object | undefined} lease */
export function showLease(lease) {
  element('revoke').disabled = lease?.state !== 'active';
  element('lease-state').dataset.state = lease?.state ?? 'none';
  say('lease-state', lease?.state ?? 'none yet');
  say('lease-id', lease?.id ?? '–');
  if (!lease) return;
  const leftMs = Math.max(0, lease.expiresAtMs - performance.now());
  const active = lease.state === 'active';
  element('lease-bar').style.scale = `${active ? leftMs / lease.ttlMs : 0} 1`;
  say('lease-expiry', active ? `${Math.ceil(leftMs / 1_000)} s` : '–');
  const nextSeconds = Math.max(0, Math.ceil((lease.renewsAtMs - performance.now()) / 1_000));
  const times = lease.renewals === 1 ? 'once' : `${lease.renewals} times`;
  say('lease-renewals', active ? `${times}, next in ${nextSeconds} s` : times);
}

/**
 * @param {{number: number, state: string, status?: number, code?: string, at?: Date, durationMs?: number}[]} periods
 * @param {{periodSeconds: number, seconds: number}} config
 * @param {{origin: number} | null | undefined} live when period 0 of a live channel began
 */
export function showPeriods(periods, config, live) {
  const spans = element('strip').children;
  periods.forEach((period, index) => {
    spans[index].dataset.state = period.state;
    const item = element('periods').children[index];
    item.dataset.state = period.state;
    const key = item.querySelector('.key');
    // A place of a live channel that has had no period yet is empty.
    const isEmpty = live && period.state === 'none';
    write(item.querySelector('.period'), isEmpty ? '–' : `Period ${period.number}`);
    write(item.querySelector('.range'), isEmpty ? '' : rangeOf(period, config, live));
    const words = describe(period);
    write(key, words);
  });
  const held = periods.filter(({ state }) => state === 'held').length;
  say('period-count', `${held} of ${periods.length} keys here`);
}

function rangeOf({ number }, { periodSeconds, seconds }, live) {
  const start = number * periodSeconds;
  if (live) return `from ${timeOfDay.format(new Date(live.origin + start * 1_000))}`;
  return `${clock(start)} – ${clock(Math.min(start + periodSeconds, seconds))}`;
}

function describe({ state, status, code, at, durationMs }) {
  if (state === 'none') return 'not asked for yet';
  if (state === 'asking') return 'asking…';
  const when = timeOfDay.format(at);
  if (state === 'held') return `key here in ${Math.max(1, Math.round(durationMs))} ms, ${when}`;
  return status === 0 ? `no answer, ${when}` : `refused: ${status} ${code ?? ''}, ${when}`;
}

/** @param {number} fraction of the video, 0 to 1 */
export function showPosition(fraction) {
  document.querySelector('.playhead').style.insetInlineStart = `${Math.min(fraction, 1) * 100}%`;
}
