import { Link } from 'wouter';
import type { ConfigurationWarning } from '../../api/statistics.ts';
import { Card } from '../../components/card.tsx';
import { linkOfWarning } from './concerns.ts';
import styles from './overview.module.css';

/** What is right for some and not for others: to be looked at once. What is open to misuse stands at the top of the page. */
export function ConfigurationNotes({ warnings }: { warnings: readonly ConfigurationWarning[] }) {
  const notes = warnings.filter(({ severity }) => severity === 'notice');
  return (
    <Card>
      <section aria-labelledby="notes">
        <h2 id="notes" className={styles.heading}>
          Worth a look once
        </h2>
        {notes.length === 0 ? (
          <p className={styles.quiet}>Nothing about the configuration is doubtful.</p>
        ) : (
          <ul className={styles.notes}>
            {notes.map((note) => (
              <Note key={note.code} note={note} />
            ))}
          </ul>
        )}
      </section>
    </Card>
  );
}

/** The variable and the value that would say otherwise. */
const settings: Readonly<Record<string, string>> = {
  LEASES_OFF: 'LEASE_MODE=optional',
  TOKENS_IN_URLS: 'VIEWER_TOKEN_FROM=header',
  RATE_LIMIT_OFF: 'RATE_LIMIT=on',
};

function Note({ note }: { note: ConfigurationWarning }) {
  const setting = settings[note.code];
  const link = linkOfWarning(note);
  return (
    <li>
      <p className={styles.noteTitle}>{note.title}</p>
      <p className={styles.quiet}>
        {note.detail} {link && <Link href={link.href}>{link.label}</Link>}
      </p>
      {setting && (
        <p className={styles.document}>
          In its environment: <code>{setting}</code>
        </p>
      )}
    </li>
  );
}
