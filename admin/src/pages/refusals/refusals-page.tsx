import { useCallback, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Refusal } from '../../api/resources.ts';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, SearchField } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { PageHead } from '../../components/page-head.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { ExplainCard } from './explain-card.tsx';
import { type KeyQuestion, questionOf, readAddress, writeQuestion } from './key-question.ts';
import { idOfRefusal, refusalColumns } from './refusal-columns.tsx';
import styles from './refusals.module.css';
import { useRefusals } from './use-refusals.ts';

/** As many as are read at a glance; the filters reach the rest. */
const shown = 100;

/** Answers why a key was refused, and follows what is refused now. */
export default function RefusalsPage() {
  const [params, setParams] = useSearchParams();
  const head = useRef<HTMLDivElement>(null);
  const { refusals, error, reload } = useRefusals();
  const [clicks, setClicks] = useState(0);
  const named = useMemo(() => readAddress(params), [params]);
  const ask = useCallback(
    (question: KeyQuestion) => setParams(() => writeQuestion(question), { replace: true }),
    [setParams],
  );
  const columns = useMemo(
    () =>
      refusalColumns((refusal) => {
        const question = questionOf(refusal);
        return (
          question &&
          (() => {
            ask(question);
            setClicks((before) => before + 1);
            head.current?.scrollIntoView({ block: 'start' });
          })
        );
      }),
    [ask],
  );
  return (
    <>
      <div ref={head} />
      <PageHead title="Refusals" lead="Why a key was refused, and which requests are refused now." />
      <ExplainCard named={named} clicks={clicks} onAsk={ask} refusals={refusals} refusalsError={error} />
      <UnlimitedOnly>
        <LatestRefusals columns={columns} refusals={refusals} error={error} onRetry={reload} />
      </UnlimitedOnly>
    </>
  );
}

interface LatestRefusalsProps {
  columns: readonly Column<Refusal>[];
  refusals: readonly Refusal[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** What is refused now, with filters. */
function LatestRefusals({ columns, refusals, error, onRetry }: LatestRefusalsProps) {
  const [code, setCode] = useState<string | null>(null);
  const [text, setText] = useState('');
  const matching = refusals?.filter((refusal) => matches(refusal, code, text.trim()));
  const codes = [...new Set(refusals?.map((refusal) => refusal.code))].sort();
  return (
    <section aria-labelledby="latest">
      <h2 id="latest" className={styles.latest}>
        Latest refusals
      </h2>
      <ResourceList
        filters={
          <>
            <SearchField label="Viewer, content, address or request ID" value={text} onChange={setText} />
            <FilterSelect
              label="Code"
              values={code !== null && !codes.includes(code) ? [code, ...codes] : codes}
              value={code}
              onChange={setCode}
            />
            <span className={styles.hint}>
              {matching && `${countOf(matching.length, 'refusal')} in memory`}
              {!matching && !error && 'Reading…'}
            </span>
          </>
        }
        noun="refusal"
        label="Latest refusals"
        columns={columns}
        list={{ rows: matching?.slice(0, shown), error, reload: onRetry }}
        rowId={idOfRefusal}
        empty={
          refusals?.length === 0 ? (
            <EmptyState icon="check" title="No refusals">
              Refused requests for keys and leases appear here within seconds. They are kept in memory: a
              restart of the server begins again.
            </EmptyState>
          ) : (
            <NoMatches
              title="No matching refusals"
              onReset={() => {
                setCode(null);
                setText('');
              }}
            >
              The search finds any part of an ID or address.
            </NoMatches>
          )
        }
      />
    </section>
  );
}

function matches(refusal: Refusal, code: string | null, text: string): boolean {
  if (code !== null && refusal.code !== code) return false;
  const { viewerId, contentId, clientIp, requestId, leaseId } = refusal;
  const lower = text.toLowerCase();
  return [viewerId, contentId, clientIp, requestId, leaseId].some((part) =>
    (part ?? '').toLowerCase().includes(lower),
  );
}
