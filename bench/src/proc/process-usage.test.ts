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

test('CPU time is that of user and system together', () => {
  expect(parseCpuMs(`42 (node) ${rest}`)).toBe(1_540);
});

test('a name with spaces and brackets does not shift the fields', () => {
  expect(parseCpuMs(`42 (a) S 1 (b ) ${rest}`)).toBe(1_540);
});

test('what is no stat is not read as zero', () => {
  expect(() => parseCpuMs('42 (node) S 1')).toThrow('no /proc/<pid>/stat');
});

test('of a thread it is the time on a processor, not the time spent waiting for one', () => {
  expect(parseThreadCpuMs('25082898 223647 11\n')).toBeCloseTo(25.083);
});

test('memory is what is resident now, the part of it that is no file, and what was at most', () => {
  const status =
    'Name:\tnode\nVmPeak:\t  900 kB\nVmHWM:\t  70124 kB\nVmRSS:\t   61000 kB\nRssAnon:\t   21000 kB\nThreads:\t11\n';
  expect(parseMemory(status)).toEqual({ residentKiB: 61_000, anonymousKiB: 21_000, peakKiB: 70_124 });
});

test.runIf(process.platform === 'linux')('the kernel writes what is read here', () => {
  const before = readCpuMs(process.pid);
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 50_000);
  expect(readCpuMs(process.pid) - before).toBeGreaterThanOrEqual(40);
  const { residentKiB, peakKiB } = readMemory(process.pid);
  expect(residentKiB).toBeGreaterThan(10_000);
  expect(peakKiB).toBeGreaterThanOrEqual(residentKiB);
  expect(readOpenFileLimit()).toBeGreaterThan(0);
});
