// Builds the multipart request of the component contract: the bytes that the
// tool's -F options stand for, with the fixed boundary. Written from the contract,
// not from the tool, so that harnesses can compare the two.
//
//   node multipart.mjs name=value name=@FILE name=@- ...   prints the request

import { readFileSync } from 'node:fs';
import { isMain } from './component-host.mjs';

export const BOUNDARY = 'uuid-00000000-0000-0000-0000-000000000000';
export const CONTENT_TYPE = `multipart/form-data;boundary=${BOUNDARY}`;

const CRLF = '\r\n';
const PRINTABLE = /^[\x20-\x7e]*$/;

function checkText(what, text) {
  if (!PRINTABLE.test(text) || /["\\]/.test(text)) throw new Error(`${what} is not plain printable ASCII: ${text}`);
  return text;
}

// parts: [{ name, body, filename }], filename only for a file; body is a Buffer
// or a string. boundary: another one that a host wrote into the component.
export function multipart(parts, boundary = BOUNDARY) {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`);
  const pieces = parts.flatMap(({ name, body, filename }) => {
    if (!name) throw new Error('a part has no name');
    const bytes = Buffer.from(body);
    if (holdsDelimiter(bytes, delimiter)) throw new Error(`the body of ${name} holds the boundary`);
    const file =
      filename === undefined
        ? ''
        : `; filename="${checkText('file name', filename)}"${CRLF}Content-Type: application/octet-stream`;
    const head = `--${boundary}${CRLF}Content-Disposition: form-data; name="${checkText('name', name)}"${file}`;
    return [Buffer.from(head + CRLF + CRLF), bytes, Buffer.from(CRLF)];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--${CRLF}`)]);
}

// A delimiter in a body is one that a parser would take for a line end: followed
// by CRLF or two hyphens.
function holdsDelimiter(bytes, delimiter) {
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + 1)) {
    const next = bytes.toString('latin1', at + delimiter.length, at + delimiter.length + 2);
    if (next === CRLF || next === '--') return true;
  }
  return false;
}

// One -F option's value: name=value, name=@path or name=@-.
export function partOf(option) {
  const at = option.indexOf('=');
  if (at <= 0) throw new Error(`expected name=value: ${option}`);
  const [name, value] = [option.slice(0, at), option.slice(at + 1)];
  if (!value.startsWith('@')) return { name, body: value };
  const path = value.slice(1);
  if (path === '') throw new Error(`an empty path: ${option}`);
  if (path === '-') return { name, body: readFileSync(0), filename: '-' };
  return { name, body: readFileSync(path), filename: path.split(/[/\\]/).pop() };
}

if (isMain(import.meta)) {
  try {
    process.stdout.write(multipart(process.argv.slice(2).map(partOf)));
  } catch (error) {
    console.error(`multipart: ${error.message}`);
    process.exitCode = 65;
  }
}
