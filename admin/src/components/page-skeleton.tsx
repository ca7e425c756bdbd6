import { Skeleton } from './skeleton.tsx';

/** Where a page is about to be: its heading, and some of it. */
export function PageSkeleton() {
  return (
    <div aria-busy="true">
      <Skeleton width="11rem" height="1.875rem" />
      <div style={{ height: '2rem' }} />
      <Skeleton width="100%" height="22rem" />
      <span className="visually-hidden">Loading…</span>
    </div>
  );
}
