import type { KeyPeriods } from '../../api/resources.ts';
import type { ClockPeriods, SequencePeriods } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { FactList, type Facts } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { useEachSecond } from '../../state/time.ts';
import {
  describeCurrent,
  describeNext,
  describePace,
  describeRest,
  describeServed,
  formatSeconds,
} from './key-windows.ts';

/** When the keys of a content's epochs are served, and for a live channel what is served now. */
export function KeyPeriodsCard({ periods }: { periods: KeyPeriods | null }) {
  return (
    <Card title="Key periods">
      {periods === null && (
        <p>
          None. Every key is served at any time. If the video has epochs, a viewer can fetch all of its keys
          at once, and play on after a revocation.
        </p>
      )}
      {periods?.mode === 'clock' && <FactList facts={clockFacts(periods)} />}
      {periods?.mode === 'sequence' && <FactList facts={sequenceFacts(periods)} />}
    </Card>
  );
}

function clockFacts(periods: ClockPeriods): Facts {
  const { origin, periodSeconds, ahead = 1, behind = null } = periods;
  return {
    Kind: 'By the clock: a live channel',
    'Current epoch': <Ticking describe={describeCurrent} periods={periods} />,
    'Served now': <Ticking describe={describeServed} periods={periods} />,
    Next: <Ticking describe={describeNext} periods={periods} />,
    'Epoch 0 begins': <time dateTime={origin}>{formatExact(origin)}</time>,
    Period: formatSeconds(periodSeconds),
    Ahead: formatCount(ahead),
    Behind: behind === null ? 'all' : formatCount(behind),
  };
}

interface TickingProps {
  describe: (periods: ClockPeriods, nowMs: number) => string;
  periods: ClockPeriods;
}

/** Only this text renders every second. */
function Ticking({ describe, periods }: TickingProps) {
  return useEachSecond((nowMs) => describe(periods, nowMs));
}

function sequenceFacts(periods: SequencePeriods): Facts {
  const { count, periodSeconds } = periods;
  return {
    Kind: 'In sequence: a video on demand',
    Epochs: count === 1 ? '1: number 0' : `${formatCount(count)}: 0 to ${count - 1}`,
    'Longest period': formatSeconds(periodSeconds),
    'Pace of a viewer': describePace(periods),
    'After a revocation': describeRest(periods),
  };
}
