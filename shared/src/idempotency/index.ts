export { createAnswerOnce, keyInUse, type Once, writeOnce } from './answer-once.ts';
export { idempotencyKeyHeader } from './idempotency-key.ts';
export { claimIds, keepAnswers } from './kept-answers.ts';
export { addAnswerPurge } from './purge-answers.ts';
