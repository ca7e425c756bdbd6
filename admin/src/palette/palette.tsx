import { Flex, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ComponentProps, type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { OutsideText } from '../components/outside-text.tsx';
import { useApp, useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';
import { navItems, navItemsFor } from '../shell/nav-items.tsx';
import styles from './palette.module.css';
import {
  describeCredential,
  type Found,
  isOnPage,
  listEntries,
  type PaletteEntry,
} from './palette-entries.ts';

/** As many as fit next to the pages without scrolling. */
const foundAtMost = 5;
const nothing: Found = { contents: [], viewers: [] };

/** Opens a page, or what a typed or pasted name or ID belongs to. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const apiKey = useCurrentApiKey();
  const [, navigate] = useLocation();
  const listId = useId();
  const credential = describeCredential(text);
  const found = useFound(credential === null ? text.trim() : '');
  const entries = listEntries(text, navItemsFor(apiKey), found);
  const at = Math.min(chosen, entries.length - 1);
  const optionId = (n: number) => `${listId}-${n}`;
  const go = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    navigate(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') go(entries[at]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, at]);
  return (
    <Dialog title="Go to" onClose={onClose} width="36rem">
      <TextInput
        data-autofocus
        // The palette names the kind of credential that it recognizes. The addresses that it opens do not contain the credential.
        data-takes="credential"
        role="combobox"
        aria-label="Page, name or ID"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? optionId(at) : undefined}
        placeholder="Page, name or ID"
        leftSection={<Icon name="search" size={17} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      {credential !== null && <p className="note">{credential}</p>}
      <div className={styles.list} role="listbox" id={listId} aria-label="Places">
        {[...Map.groupBy(entries, ({ group }) => group)].map(([group, own]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not a part of a list box
          <div key={group} role="group" aria-label={group}>
            <div className={styles.group} aria-hidden="true">
              {group}
            </div>
            {own.map((entry) => (
              <Place
                key={`${entry.kind} ${entry.path}`}
                entry={entry}
                id={optionId(entries.indexOf(entry))}
                aria-selected={entry === entries[at]}
                onPointerMove={() => setChosen(entries.indexOf(entry))}
                onClick={() => go(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className="note">
        On a page, <kbd>?</kbd> shows all keys.
      </p>
      <p className="visually-hidden" role="status">
        {entries.length === 1 ? '1 place' : `${entries.length} places`}
      </p>
    </Dialog>
  );
}

function Place({ entry, ...option }: { entry: PaletteEntry } & ComponentProps<'div'>) {
  const { label, kind, path, keys } = entry;
  const page = navItems.find((item) => isOnPage(path, item));
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the text field names the chosen one
    <div {...option} role="option" className={styles.entry}>
      {page && <Icon name={page.icon} size={18} />}
      <Flex component="span" direction="column" flex={1} miw={0} lh={1.35}>
        <OutsideText className="cut" text={label} />
        {kind !== 'Page' && (
          <small className="cut">
            <OutsideText text={kind} />
          </small>
        )}
      </Flex>
      {keys && <kbd>{keys}</kbd>}
    </div>
  );
}

/** Contents and viewers for the typed text, once typing pauses. */
function useFound(text: string): Found {
  const { api } = useApp();
  const apiKey = useCurrentApiKey();
  const [paused] = useDebouncedValue(text, pauseMs);
  const { data = nothing } = useQuery({
    queryKey: ['palette', paused],
    queryFn: async ({ signal }): Promise<Found> => {
      const limit = foundAtMost;
      const find = async (query: { prefix: string } | { q: string }) =>
        may(apiKey, 'read-content')
          ? api.call('get', '/api/v1/content', { params: { query: { ...query, limit } }, signal })
          : { items: [] };
      const [beginning, containing, { viewers }] = await Promise.all([
        find({ prefix: paused }),
        find({ q: paused }),
        may(apiKey, 'manage')
          ? api.call('get', '/api/v1/viewers', { params: { query: { prefix: paused, limit } }, signal })
          : { viewers: [] },
      ]);
      // The second list has contents of the first again.
      const byId = new Map([...beginning.items, ...containing.items].map((content) => [content.id, content]));
      return { contents: [...byId.values()].slice(0, limit), viewers };
    },
    // A credential that was recognised meanwhile is not sent.
    enabled: paused !== '' && text !== '' && describeCredential(paused) === null,
    placeholderData: keepPreviousData,
  });
  return text === '' || paused === '' ? nothing : data;
}

/** Waits out fast typing, and leaves most of the 300 ms that an answer has. */
const pauseMs = 80;
