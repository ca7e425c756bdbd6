import { Flex, NativeSelect, TextInput, type TextInputProps, Toggle } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { idInPlaceOf } from '../state/find-credential.ts';
import styles from './filters.module.css';
import { Icon } from './icon.tsx';

/** The search and the filters above a table. */
export function FilterRow({ children }: { children: ReactNode }) {
  return (
    <Flex component="search" aria-label="Filters" wrap="wrap" align="end" gap="0.625rem" mb="1rem">
      {children}
    </Flex>
  );
}

/** The heading stays when something is typed: a placeholder would be gone. */
const headed = { labelProps: { c: 'dimmed', fz: '0.8125rem', fw: 500, mb: '0.25rem' } };

/** A field above a table. */
export function FilterField(props: TextInputProps) {
  return <TextInput {...headed} {...props} />;
}

/** Waits out fast typing, and leaves most of the 300 ms that a page has for its answer. */
const pauseMs = 40;

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Whether the key `/` moves the focus here. `/` picks the first search field of the page. */
  hasShortcut?: boolean;
  /** The kind of id to search by if a pasted URL names several things. Default: the viewer, lease or API key. */
  names?: 'content';
}

/** Searches during typing. `/` moves the focus here, Esc clears the field. */
export function SearchField({ label, value, onChange, hasShortcut = true, names }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const lastValue = useRef(value);
  const search = useEffectEvent(onChange);
  // The address has changed from outside: by the back button, or by clearing the filters. What was typed meanwhile stays.
  useEffect(() => {
    const before = lastValue.current;
    lastValue.current = value;
    setText((now) => (now === before ? value : now));
  }, [value]);
  useEffect(() => {
    // A token that is being typed is whole in the field alone.
    const sent = idInPlaceOf(text, names);
    if (sent === lastValue.current) return;
    const timer = setTimeout(() => {
      lastValue.current = sent;
      search(sent);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, names]);
  return (
    <FilterField
      type="search"
      label={label}
      {...(hasShortcut ? { 'aria-keyshortcuts': '/' } : {})}
      {...(names ? { 'data-names': names } : {})}
      flex="1 1 16rem"
      maw="24rem"
      leftSection={<Icon name="search" size={17} />}
      rightSection={hasShortcut && text === '' && <kbd>/</kbd>}
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

interface FilterSelectProps<Value extends string> {
  label: string;
  /** The choice that filters nothing. Default: "Any" with the label. */
  none?: string;
  values: readonly Value[];
  labelOf?: (value: Value) => string;
  /** Null matches everything. */
  value: Value | null;
  onChange: (value: Value | null) => void;
}

/** A filter by one of several values. */
export function FilterSelect<Value extends string>({
  label,
  none = `Any ${label.toLowerCase()}`,
  values,
  labelOf = (value) => `Only ${value}`,
  value,
  onChange,
}: FilterSelectProps<Value>) {
  return (
    <NativeSelect
      {...headed}
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(values.find((each) => each === currentTarget.value) ?? null)}
      data={[{ value: '', label: none }, ...values.map((each) => ({ value: each, label: labelOf(each) }))]}
    />
  );
}

/** A group of on/off filters. */
export function ToggleGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Flex component="fieldset" wrap="wrap" gap="0.5rem">
      <legend className="visually-hidden">{label}</legend>
      {children}
    </Flex>
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
      fz="0.8125rem"
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

interface ChoiceProps<Value extends string> {
  label: string;
  of: readonly Value[];
  nameOf: (value: Value) => string;
  value: Value;
  onChoose: (value: Value) => void;
}

/** One of a few values, as a group of toggles. */
export function Choice<Value extends string>({ label, of, nameOf, value, onChoose }: ChoiceProps<Value>) {
  return (
    <ToggleGroup label={label}>
      {of.map((each) => (
        <FilterToggle key={each} isOn={value === each} onToggle={() => onChoose(each)}>
          {nameOf(each)}
        </FilterToggle>
      ))}
    </ToggleGroup>
  );
}
