import type { ReactNode } from 'react';
import styles from './chip.module.css';

/** Filters that are on or off. */
export function ChipGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">{label}</legend>
      {children}
    </fieldset>
  );
}

export interface ChipProps {
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
  children: ReactNode;
}

export function Chip({ isOn, onToggle, children }: ChipProps) {
  return (
    <button type="button" className={styles.chip} aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
      {children}
    </button>
  );
}
