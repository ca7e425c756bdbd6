import { expect, it } from 'vitest';
import { grafanaAddress, usageAddress, usageForm } from './usage-view.ts';

const read = (query: string) => usageForm.read(new URLSearchParams(query));

it('an address without parameters shows the refusals of key requests of the last hour', () => {
  expect(read('')).toEqual({
    range: '1h',
    zoomed: null,
    requests: 'keys',
    by: 'code',
    id: '',
    refused: 'count',
  });
});

it.each([
  '',
  'range=7d',
  'range=6h&requests=leases&by=viewer&id=a%26b&refused=share',
  'from=2027-01-30T00:00:00.000Z&to=2027-01-31T00:00:00.000Z',
])('the view of %o is the same after it was written into an address', (query) => {
  const view = read(query);
  expect(read(String(usageForm.write(view)))).toEqual(view);
});

it('unknown values of an address are ignored', () => {
  expect(read('range=2h&by=address&requests=uploads&refused=twice')).toEqual(read(''));
});

it('the link to Grafana has the range, and keeps what the URL had', () => {
  expect(grafanaAddress('https://grafana.example/d/x?var-a=b', { from: 1_000.4, to: 2_000 })).toBe(
    'https://grafana.example/d/x?var-a=b&from=1000&to=2000',
  );
});

it('the address about a viewer takes any ID', () => {
  expect(
    read(usageAddress('viewer', 'a&b=c d', { range: '7d', zoomed: null }).split('?')[1] ?? ''),
  ).toMatchObject({
    by: 'viewer',
    id: 'a&b=c d',
    range: '7d',
  });
});
