/** Drawn on a grid of 20, with strokes of the text's own colour. */
const paths = {
  key: 'M7.5 11.25a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5ZM10.2 10.2 16.25 16.25M13.8 13.8l2-2',
  person: 'M10 10a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 10 10Zm-6 6.4c.7-2.9 3-4.4 6-4.4s5.3 1.5 6 4.4',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.5 3.5',
  plus: 'M10 4v12M4 10h12',
  copy: 'M7.5 7.5V5A1.5 1.5 0 0 1 9 3.500h6A1.5 1.5 0 0 1 16.5 5v6a1.5 1.5 0 0 1-1.5 1.5h-2.500M5 7.500h6A1.5 1.5 0 0 1 12.5 9v6a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 15V9A1.5 1.5 0 0 1 5 7.500Z',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  download: 'M10 3.500v9m0 0 3.5-3.500M10 12.5 6.5 9M4 16.500h12',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  signOut: 'M8 3.500H5A1.5 1.5 0 0 0 3.5 5v10A1.5 1.5 0 0 0 5 16.500h3M12.5 13.5 16 10l-3.5-3.500M16 10H8',
  rotate:
    'M16 8.500A6.2 6.2 0 0 0 5 6L3.5 8M4 11.5A6.2 6.2 0 0 0 15 14l1.5-2M3.5 4.500V8H7M16.5 15.500V12H13',
  stop: 'M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM5.5 14.500l9-9',
  info: 'M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM10 9.500V13M10 7h.01',
  warning: 'M10 4 3.5 15.500h13L10 4ZM10 8.500v3M10 13.500h.01',
  sun: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM10 2.500v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.700l1 1M14.3 14.300l1 1M4.7 15.300l1-1M14.3 5.700l1-1',
  moon: 'M16 11.800A6.5 6.5 0 0 1 8.2 4a6.5 6.5 0 1 0 7.8 7.800Z',
  screen:
    'M4.5 4h11A1.5 1.5 0 0 1 17 5.500v6a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 11.5v-6A1.5 1.5 0 0 1 4.5 4ZM7.5 16.500h5M10 13v3.5',
  choose: 'm6.5 8 3.5-3.5L13.5 8M6.5 12l3.5 3.5 3.5-3.5',
  film: 'M4.5 4h11A1.5 1.5 0 0 1 17 5.500v9a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.500v-9A1.5 1.5 0 0 1 4.5 4ZM8.5 7.500v5l4-2.500-4-2.500Z',
  clock: 'M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM10 6.500V10l2.5 1.500',
  pencil:
    'm4 16 .7-3.200 8.600-8.600a1.400 1.400 0 0 1 2 0l.5.5a1.400 1.400 0 0 1 0 2L7.200 15.300 4 16ZM12 5.500l2.500 2.500',
  chart: 'M3.500 3.500v13h13M6.5 12.500l3-3.500 2.500 2 4-5',
  list: 'M7.5 5.500h9M7.5 10h9M7.5 14.500h9M3.8 5.500h.01M3.8 10h.01M3.8 14.500h.01',
  up: 'M10 16V4.500M5.500 9 10 4.500 14.5 9',
  left: 'm12 5-5 5 5 5',
  right: 'm8 5 5 5-5 5',
} as const;

export type IconName = keyof typeof paths;

/** Says nothing to a screen reader: the text beside it, or the label of its button, does. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
