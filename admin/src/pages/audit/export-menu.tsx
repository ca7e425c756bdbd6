import { Button, Menu } from '@mantine/core';
import type { AuditFilter, ExportFormat } from '../../api/audit.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatSize } from '../../components/format-size.ts';
import { Icon } from '../../components/icon.tsx';
import styles from './audit.module.css';
import { useExport } from './use-export.ts';

const formats: [ExportFormat, string, string][] = [
  ['csv', 'CSV', 'for spreadsheets; formulas are made harmless'],
  ['jsonl', 'JSON Lines', 'one record in each line, for programs'],
];

/** Saves everything that the filters leave, on all pages. */
export function ExportMenu({ filter }: { filter: AuditFilter }) {
  const { state, begin, stop } = useExport(filter);
  if (state.status === 'running')
    return (
      <div className={styles.exporting}>
        <span>
          Exporting… <span className={styles.size}>{formatSize(state.octets)}</span>
        </span>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
        <span role="status" className="visually-hidden">
          The export has begun.
        </span>
      </div>
    );
  return (
    <div className={styles.export}>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={18} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map(([format, name, use]) => (
            <Menu.Item key={format} onClick={() => begin(format)}>
              {name}
              <small className={styles.use}>{use}</small>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {state.status === 'failed' && <ErrorNotice error={state.error} purpose="asked-once" />}
    </div>
  );
}
