// Asks the process of this container over HTTP, without a shell or another program: `node healthcheck.mjs [/ready]`.
// Exit code 0: it answered 2xx. Docker and Compose take 1 as unhealthy.
import { get } from 'node:http';
import image from './image.json' with { type: 'json' };

/** `/ready` looks at each dependency for 2 s at most. */
const timeoutMs = 2_500;
const [path = '/health'] = process.argv.slice(2);

const fail = (reason) => {
  process.stderr.write(`${path}: ${reason}\n`);
  process.exit(1);
};
const request = get({ host: '127.0.0.1', port: Number(process.env.PORT || image.port), path }, (answer) => {
  if (answer.statusCode < 200 || answer.statusCode > 299) fail(`answered ${answer.statusCode}`);
  process.exit(0);
});
request.on('error', (error) => fail(error.code ?? error.message));
setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs).unref();
