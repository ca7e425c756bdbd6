import { expect, test } from 'vitest';
import {
  parseCpuMs,
  parseMemory,
  parseThreadCpuMs,
  readCpuMs,
  readMemory,
  readOpenFileLimit,
} from './process-usage.ts';

const rest = 'S 1 1 1 0 -1 4194304 101 0 0 0 120 34 0 0 20 0 11 0 1155817 3133440 394';

test('a process name with spaces and brackets does not shift the fields of its stat', () => {
  expect(parseCpuMs(`42 (a) S 1 (b ) ${rest}`)).toBe(1_540);
});

test('CPU time of a thread is its time on a processor, without the time spent waiting for one', () => {
  expect(parseThreadCpuMs('25082898 223647 11\n')).toBeCloseTo(25.083);
});

test('memory of a process is what is resident, what of that belongs to no file, and the peak', () => {
  const status =
    'Name:\tnode\nVmPeak:\t  900 kB\nVmHWM:\t  70124 kB\nVmRSS:\t   61000 kB\nRssAnon:\t   21000 kB\nThreads:\t11\n';
  expect(parseMemory(status)).toEqual({ residentKiB: 61_000, anonymousKiB: 21_000, peakKiB: 70_124 });
});

test.runIf(process.platform === 'linux')(
  'CPU time, memory and file limit of a real process can be read',
  () => {
    const before = readCpuMs(process.pid);
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 50_000);
    expect(readCpuMs(process.pid) - before).toBeGreaterThanOrEqual(40);
    const { residentKiB, peakKiB } = readMemory(process.pid);
    expect(residentKiB).toBeGreaterThan(10_000);
    expect(peakKiB).toBeGreaterThanOrEqual(residentKiB);
    expect(readOpenFileLimit()).toBeGreaterThan(0);
  },
);
