import { useEffect, useState } from 'react';
import { useApp } from '../session/app-context.ts';

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
