import { TextInput, Toggle } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import styles from './filters.module.css';
import { Icon } from './icon.tsx';

/** Search and filters above a table. */
export function FilterRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className={styles.row} aria-label={label}>
      {children}
    </search>
  );
}

/** Between two letters of somebody who types; the answer still comes well within the 300 ms that a page may take. */
const pauseMs = 40;
/** Where the server counts requests: once a word, not once a letter. */
const countedPauseMs = 300;

interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  /** Whether `/` leads to it: to the first of the page. */
  hasShortcut?: boolean;
}

/** Searches while one types. `/` leads here from anywhere, Esc empties it. */
export function SearchField({ label, value, onSearch, hasShortcut = true }: SearchFieldProps) {
  const waitMs = useStore(useApp().rateLimit.isCounting) ? countedPauseMs : pauseMs;
  const [text, setText] = useState(value);
  const told = useRef(value);
  // The address changed by another way: the button back, or a filter that was taken off.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      onSearch(text);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [text, onSearch, waitMs]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      {...(hasShortcut ? { 'aria-keyshortcuts': '/' } : {})}
      className={styles.field ?? ''}
      leftSection={<Icon name="search" size={17} />}
      rightSection={hasShortcut && text === '' && <kbd className={styles.key}>/</kbd>}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        if (text === '') event.currentTarget.blur();
        setText('');
      }}
    />
  );
}

/** Filters that are on or off. */
export function ToggleGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">{label}</legend>
      {children}
    </fieldset>
  );
}

interface FilterToggleProps {
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
  children: ReactNode;
}

export function FilterToggle({ isOn, onToggle, children }: FilterToggleProps) {
  return (
    <Toggle
      autoWidth
      px="0.75rem"
      radius="xl"
      variant="light"
      className={styles.toggle ?? ''}
      active={isOn}
      onActiveChange={onToggle}
    >
      {children}
    </Toggle>
  );
}
