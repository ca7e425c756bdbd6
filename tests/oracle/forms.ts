import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';

/** Replaces values that differ from run to run by their form, and values that a run knows by their names. */
export interface Forms {
  /** From now on `value` is shown as `<name>`. */
  remember(value: string, name: string): void;
  apply(text: string): string;
}

const { version } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
  version: string;
};
const dayMs = 86_400_000;
/** Lifetimes are whole multiples of this. */
const stepMs = 300_000;
/** A shown time may be from shortly before the run. */
const earlierMs = 90_000;

const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g;

/** The forms of values that no run can know, by their patterns. */
const patterns: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\blk_[0-9a-f]{64}\b/g, '<api-key>'],
  [/\bwhsec_[A-Za-z0-9+/]{43}=/g, '<webhook-secret>'],
  [/\blkc_[\w-]{100,}/g, '<key-credential>'],
  [/\bmsg_[\w-]{24}/g, '<message-id>'],
  [/"keyPrefix":"lk_[0-9a-f]{8}"/g, '"keyPrefix":"<key-prefix>"'],
  [/"appliedAfterMs":\d+/g, '"appliedAfterMs":<ms>'],
  [/(?<="id":"|\/play\/)[\w-]{43}(?=["/])/g, '<session-id>'],
  [/"id":"Wy[\w-]+"/g, '"id":"<mark-id>"'],
  [/"lastUsedAt":(?:null|"<now>")/g, '"lastUsedAt":<last-use>'],
  [/"id":"\d+"/g, '"id":"<row>"'],
  [/"keysLeft":\d+/g, '"keysLeft":<n>'],
  [/"pending":\d+/g, '"pending":<n>'],
  // Processes report what they served each minute, so a run sees more or fewer of its own requests, or none yet.
  [/"lastHour":(?:null|\{"served":\d+,"refused":\d+\})/g, '"lastHour":<counts>'],
  [/(?<="(?:keys|api|leases|presign|dashboard|playlists)";r=\d+;t=)\d+/g, '<seconds>'],
  [/\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}\b/g, '<token>'],
  [/X-Amz-Date=\d{8}T\d{6}Z/g, 'X-Amz-Date=<date>'],
  [/%2F\d{8}%2F/g, '%2F<day>%2F'],
  [/X-Amz-Signature=[0-9a-f]{64}/g, 'X-Amz-Signature=<signature>'],
  [/"uptimeSeconds":\d+(\.\d+)?/g, '"uptimeSeconds":<seconds>'],
  [/"(next_cursor|nextCursor)":"[\w-]+={0,2}"/g, '"$1":"<cursor>"'],
  [/"(hash|previousHash|head)":"[0-9a-f]{64}"/g, '"$1":"<hash>"'],
];

/** @param startedMs when the run began */
export function createForms(startedMs: number): Forms {
  const names = new Map<string, string>([
    [version, 'version'],
    [process.version, 'node'],
    [new Date(startedMs).toISOString().slice(0, 10), 'today'],
  ]);
  /** With its member: five digits alone are a part of some ids too. */
  const currentEpoch = `"currentEpoch":${Math.floor(startedMs / dayMs)}`;
  let ordered: [string, string][] | null = null;
  const times = new Map<string, string>();
  /** A time of the run is now. A later one is named after its distance from when it is first seen, in steps. */
  const nameTime = (time: string) => {
    const aheadMs = Date.parse(time) - Date.now();
    const steps = Math.round(aheadMs / stepMs);
    const isOfRun = aheadMs < stepMs / 2 && Date.parse(time) > startedMs - earlierMs;
    const isFixed = !isOfRun && (steps <= 0 || steps * stepMs > 400 * dayMs);
    const name = times.get(time) ?? (isFixed ? time : isOfRun ? '<now>' : `<now + ${steps * 5} min>`);
    times.set(time, name);
    return name;
  };
  return {
    remember(value, name) {
      names.set(value, name);
      ordered = null;
    },
    apply(text) {
      // The longest first: one may be a part of another.
      ordered ??= [...names].sort(([a], [b]) => b.length - a.length);
      let shown = text.replace(instant, nameTime).replace(currentEpoch, '"currentEpoch":<day>');
      for (const [value, name] of ordered) shown = shown.replaceAll(value, `<${name}>`);
      for (const [pattern, form] of patterns) shown = shown.replace(pattern, form);
      return shown.replace(/(.)\1{39,}/g, (run, char: string) => `<${char} × ${run.length}>`);
    },
  };
}
