import styles from './skeleton.module.css';

/** Takes the room of what is being fetched. @param width CSS length @param height CSS length */
export function Skeleton({ width, height = '0.875rem' }: { width: string; height?: string }) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}
