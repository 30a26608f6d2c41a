import { WorkerEntrypoint } from "cloudflare:workers";

// Stands for Cloudflare's Email Service in tests: keeps what it is given.

let mails = [];
let waiting = [];

const isFor = (mail, { to, subject }) => mail.to === to && mail.subject === subject;

export class EmailService extends WorkerEntrypoint {
  async send(mail) {
    const at = waiting.findIndex((one) => isFor(mail, one));
    if (at < 0) mails.push(mail);
    else waiting.splice(at, 1)[0].resolve(mail);
    return { messageId: "test" };
  }

  async take(to, subject) {
    const at = mails.findIndex((mail) => isFor(mail, { to, subject }));
    if (at >= 0) return mails.splice(at, 1)[0];
    return new Promise((resolve) => waiting.push({ to, subject, resolve }));
  }

  async count(to) {
    return mails.filter((mail) => mail.to === to).length;
  }

  async clear() {
    mails = [];
    waiting = [];
  }
}

export default { fetch: () => new Response(null, { status: 404 }) };
