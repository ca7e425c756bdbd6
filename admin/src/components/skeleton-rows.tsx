import { Skeleton } from './skeleton.tsx';

/** As many as fill most windows: what comes takes their place. */
const rows = Array.from({ length: 8 }, (_, row) => row);

/** @internal rows of `DataTable` that are being fetched */
export function SkeletonRows({ columns }: { columns: number }) {
  return rows.map((row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <Skeleton width={column === 0 ? `${7 + ((row * 3) % 5)}rem` : '4.5rem'} />
        </td>
      ))}
    </tr>
  ));
}
