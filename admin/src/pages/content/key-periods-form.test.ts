import { expect, it } from 'vitest';
import type { KeyPeriods } from '../../api/resources.ts';
import type { Content } from '../../api/schema.ts';
import { changedFields, readForm } from './content-form.ts';
import { noPeriodsTexts, readPeriods, showsPeriods, textsOfMode, writePeriods } from './key-periods-form.ts';

const clock: KeyPeriods = {
  ...{ mode: 'clock', origin: '2027-01-31T12:00:00.000Z', periodSeconds: 10 },
  ...{ ahead: 1, behind: null },
};
const sequence: KeyPeriods = {
  ...{ mode: 'sequence', count: 120, periodSeconds: 60.06 },
  ...{ burst: 8, speed: 2.5, pace: false },
};

it.each([[clock], [{ ...clock, behind: 0, ahead: 0 }], [sequence]])(
  'stored key periods are shown as texts and read back: %j',
  (periods) => {
    expect(readPeriods(writePeriods(periods))).toEqual({ periods });
    expect(showsPeriods(writePeriods(periods), periods)).toBe(true);
    expect(showsPeriods(writePeriods(periods), null)).toBe(false);
  },
);

it('another mode begins with empty fields and the present time, and the stored mode with its own values', () => {
  const nowMs = Date.UTC(2027, 0, 31, 12);
  const live = { ...noPeriodsTexts, mode: 'clock', origin: '2027-01-31T12:00:00Z' };
  expect(textsOfMode('clock', sequence, nowMs)).toEqual(live);
  expect(textsOfMode('sequence', clock, nowMs)).toEqual({ ...noPeriodsTexts, mode: 'sequence' });
  expect(textsOfMode('none', clock, nowMs)).toEqual(noPeriodsTexts);
  expect(textsOfMode('clock', clock, nowMs)).toEqual(writePeriods(clock));
});

it('empty optional fields are left to the server', () => {
  const live = {
    ...noPeriodsTexts,
    mode: 'clock',
    origin: '2027-01-31T12:00:00Z',
    periodSeconds: '10',
  } as const;
  expect(readPeriods(live)).toEqual({
    periods: { mode: 'clock', origin: live.origin, periodSeconds: 10, behind: null },
  });
  const film = { ...noPeriodsTexts, mode: 'sequence', count: '4294967296', periodSeconds: '0.5' } as const;
  expect(readPeriods(film)).toEqual({
    periods: { mode: 'sequence', count: 4_294_967_296, periodSeconds: 0.5, pace: true },
  });
});

it('all errors of the chosen mode are reported together, and errors of other modes are not', () => {
  const wrong = { ...noPeriodsTexts, ahead: '11', behind: '-1', count: '0', burst: '1001', speed: '0' };
  const faultsOf = (mode: 'clock' | 'sequence') => {
    const read = readPeriods({ ...wrong, mode });
    return 'faults' in read ? Object.keys(read.faults).sort() : [];
  };
  expect(faultsOf('clock')).toEqual(
    ['ahead', 'behind', 'origin', 'periodSeconds'].map((name) => `keyPeriods.${name}`),
  );
  expect(faultsOf('sequence')).toEqual(
    ['burst', 'count', 'periodSeconds', 'speed'].map((name) => `keyPeriods.${name}`),
  );
  expect(readPeriods(wrong)).toEqual({ periods: null });
});

it.each([
  ['clock', 'periodSeconds', ['0', '86401', '1.5', '1e2', '']],
  ['clock', 'origin', ['2027-02-31T12:00:00Z', '2027-01-31', '2027-01-31T12:00:00', 'tomorrow', '']],
  ['sequence', 'count', ['0', '4294967297', '99999999999', '1.5']],
  ['sequence', 'periodSeconds', ['0', '-1', '1,5', '0.0', 'a minute']],
  ['sequence', 'speed', ['0', '100.1', '1,5']],
] as const)('%s key periods are refused with a wrong %s', (mode, member, values) => {
  for (const value of values) {
    const texts = { ...writePeriods(mode === 'clock' ? clock : sequence), [member]: value };
    expect(readPeriods(texts)).toEqual({ faults: { [`keyPeriods.${member}`]: expect.any(String) } });
  }
});

it('key periods that nobody changed are not sent, so that changes by others are respected', () => {
  const texts = { name: 'Film', sizeBytes: '', manifestKey: '', playlistUrl: '', metadata: '' };
  const plain = { name: 'Film', sizeBytes: null, manifestKey: null, playlistUrl: null, metadata: {} };
  for (const keyPeriods of [null, clock, sequence]) {
    const before = { ...plain, keyPeriods } as unknown as Content;
    const { fields } = readForm({ ...texts, keyPeriods: writePeriods(keyPeriods) }, before);
    expect(fields && changedFields(before, fields)).toEqual({});
  }
  // A new content without key periods names none.
  const created = readForm({ ...texts, keyPeriods: noPeriodsTexts });
  expect(JSON.stringify(created.fields)).not.toContain('keyPeriods');

  const before = { ...plain, keyPeriods: clock } as unknown as Content;
  const removed = readForm({ ...texts, keyPeriods: noPeriodsTexts }, before);
  expect(removed.fields && changedFields(before, removed.fields)).toEqual({ keyPeriods: null });
});
