import { ActionIcon } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useApp } from '../session/app-context.ts';
import styles from './copying.module.css';
import { Icon } from './icon.tsx';

const shownMs = 2_000;

/**
 * Copies to the clipboard, and knows for a while that it has.
 *
 * @returns `copy` answers false where the browser gives no clipboard: over plain HTTP from another machine
 */
export function useCopy(): { isCopied: boolean; copy: (text: string, what: string) => Promise<boolean> } {
  const { announce } = useApp().toasts;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return {
    isCopied,
    async copy(text, what) {
      const done = (await writeClipboard(text)) || copyBySelection(text);
      setCopied(done);
      announce(done ? `${what} copied` : `Could not copy: select the text and copy it yourself`);
      return done;
    },
  };
}

async function writeClipboard(text: string): Promise<boolean> {
  // Not there on a page that came over plain HTTP from anywhere but this machine.
  if (!navigator.clipboard) return false;
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  // Inside an open dialog, which would take the focus back.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  const before = document.activeElement;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

/** @param what names the text: "Key URL" */
function CopyButton({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy();
  const label = `Copy ${what}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={() => copy(text, what)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={17} />
    </ActionIcon>
  );
}

/** An id, a URL or the like, in one line that scrolls in itself, with a button that copies it. */
export function CopyableValue({ text, what }: { text: string; what: string }) {
  return (
    <span className={styles.value}>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

interface CodeBlockProps {
  /** Names it: "Command". */
  what: string;
  text: string;
  /** What the button copies, where that has more in it than should be on the screen. */
  copied?: string;
}

/** Lines to be copied and run. Long ones go on below, beside the room of the button. */
export function CodeBlock({ what, text, copied = text }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
      <section className={styles.codeBlockText} tabIndex={0} aria-label={what}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={copied} what={what} />
      </span>
    </div>
  );
}
