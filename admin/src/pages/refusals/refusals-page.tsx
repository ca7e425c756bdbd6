import { Box } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Refusal } from '../../api/resources.ts';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, SearchField } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { PageHead } from '../../components/page-head.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { ExplainCard } from './explain-card.tsx';
import { forAddress, questionOf } from './key-question.ts';
import { explainColumn, idOfRefusal, refusalColumns } from './refusal-columns.tsx';
import { refusalFilter } from './refusal-filter.ts';
import { RefusalGroups } from './refusal-groups.tsx';
import { useRefusals } from './use-refusals.ts';

/** Answers why a key was refused, counts what is refused, and follows the latest refusals. */
export default function RefusalsPage() {
  const { change } = useFilter(refusalFilter);
  const head = useRef<HTMLDivElement>(null);
  const latest = useRef<HTMLDivElement>(null);
  const [clicks, setClicks] = useState(0);
  const hasRows = may(useCurrentApiKey(), 'whole-server');
  const explain = useCallback(
    (refusal: Refusal) => {
      change(forAddress(questionOf(refusal)));
      setClicks((before) => before + 1);
      head.current?.scrollIntoView({ block: 'start' });
    },
    [change],
  );
  const showRows = useCallback(
    (by: string, id: string) => {
      change(by === 'code' ? { code: id, q: '' } : { code: '', q: id });
      latest.current?.scrollIntoView({ block: 'start' });
    },
    [change],
  );
  return (
    <>
      <div ref={head} />
      <PageHead title="Refusals" lead="Why a key was refused, how many requests were, and which are now." />
      <ExplainCard clicks={clicks} />
      <RefusalGroups onRows={hasRows ? showRows : undefined} />
      <Box ref={latest} mt="1.5rem">
        {hasRows && <LatestRefusals explain={explain} />}
      </Box>
    </>
  );
}

/** As many as are read at a glance; the filters reach the rest. */
const shown = 100;

/** The latest refused requests, with filters. */
function LatestRefusals({ explain }: { explain: (refusal: Refusal) => void }) {
  const { refusals, error, reload } = useRefusals();
  const { change, field } = useFilter(refusalFilter);
  const [code, text] = [field('code'), field('q')];
  const section = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => [...refusalColumns, explainColumn(explain)], [explain]);
  const matching = refusals && filterRefusals(refusals, code.value, text.value.trim());
  const codes = new Set([code.value, ...(refusals ?? []).map((one) => one.code)].filter((one) => one !== ''));
  // An address with a filter, such as the link of a warning, is about these rows.
  const isLinked = useRef(`${code.value}${text.value}` !== '');
  const isRead = refusals !== undefined;
  useEffect(() => {
    if (isRead && isLinked.current) section.current?.scrollIntoView({ block: 'start' });
  }, [isRead]);
  return (
    <div ref={section}>
      <Section title="Latest refusals">
        <ResourceList
          filters={
            <>
              <SearchField label="Viewer, content, address or request ID" {...text} />
              <FilterSelect
                label="Code"
                values={[...codes].sort()}
                value={code.value || null}
                onChange={(value) => code.onChange(value ?? '')}
              />
              <span className="note">
                {matching && `${countOf(matching.length, 'refusal')} in memory`}
                {!matching && !error && 'Reading…'}
              </span>
            </>
          }
          noun="refusal"
          label="Latest refusals"
          columns={columns}
          list={{ rows: matching?.slice(0, shown), error, reload }}
          rowId={idOfRefusal}
          empty={
            refusals?.length === 0 ? (
              <EmptyState icon="check" title="No refusals">
                Refused requests for keys and leases appear here within seconds. They are kept in memory: a
                restart of the server begins again.
              </EmptyState>
            ) : (
              <NoMatches title="No matching refusals" onReset={() => change({ code: '', q: '' })}>
                The search finds any part of an ID or address. Refusals that are not in memory any more are
                only counted.
              </NoMatches>
            )
          }
        />
      </Section>
    </div>
  );
}

/** Rows with an ID that is the whole text, else those with the text in one: `ada-1` is also the beginning of another viewer. */
function filterRefusals(refusals: readonly Refusal[], code: string, text: string): Refusal[] {
  const ofCode = refusals.filter((refusal) => code === '' || refusal.code === code);
  if (text === '') return ofCode;
  const named = ofCode.filter((refusal) => idsOf(refusal).includes(text));
  if (named.length > 0) return named;
  const lower = text.toLowerCase();
  return ofCode.filter((refusal) => idsOf(refusal).some((id) => id?.toLowerCase().includes(lower)));
}

const idsOf = ({ viewerId, contentId, clientIp, requestId, leaseId }: Refusal) => [
  viewerId,
  contentId,
  clientIp,
  requestId,
  leaseId,
];
