import { TextInput, Toggle } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import styles from './filters.module.css';
import { Icon } from './icon.tsx';

/** The search and the filters above a table. */
export function FilterRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className={styles.row} aria-label={label}>
      {children}
    </search>
  );
}

/** Waits out fast typing, and leaves most of the 300 ms that a page has for its answer. */
const pauseMs = 40;
/** On a server with rate limits: one search for each word, not for each letter. */
const countedPauseMs = 300;

interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  /** Whether the key `/` moves the focus here. `/` picks the first search field of the page. */
  hasShortcut?: boolean;
}

/** Searches during typing. `/` moves the focus here, Esc clears the field. */
export function SearchField({ label, value, onSearch, hasShortcut = true }: SearchFieldProps) {
  const waitMs = useStore(useApp().rateLimit.isCounting) ? countedPauseMs : pauseMs;
  const [text, setText] = useState(value);
  const lastValue = useRef(value);
  // The address has changed from outside: by the back button, or by clearing the filters.
  useEffect(() => {
    if (value === lastValue.current) return;
    lastValue.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === lastValue.current) return;
    const timer = setTimeout(() => {
      lastValue.current = text;
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

/** A group of on/off filters. */
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
