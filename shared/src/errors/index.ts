export { AppError, type AppErrorOptions } from './app-error.ts';
export { codes, type ErrorCode } from './codes.ts';
export { type Problem, ProblemSchema, problems, toProblem } from './problem.ts';
