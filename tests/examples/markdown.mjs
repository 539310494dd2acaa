// The Markdown component against renderers from the package registry: the listed constructs (markdown_cases.mjs), alone and
// two to a document, every example of the CommonMark specification, every named character reference, repeatable
// mutations of all these, and this project's own pages, README first. Tables, an extension, are compared with micromark's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { commonmark as constructs, tables } from "./markdown_cases.mjs";
import { Component, importPackage, ownPages, requirePackage } from "./support.mjs";

const { Parser, HtmlRenderer } = requirePackage("commonmark");
const spec = requirePackage("commonmark-spec");
const { micromark } = await importPackage("micromark");
const { gfmTable, gfmTableHtml } = await importPackage("micromark-extension-gfm-table");

const parser = new Parser();
const writer = new HtmlRenderer();
const reference = (text) => writer.render(parser.parse(text));
const withTables = (text) => micromark(text, {
  allowDangerousHtml: true, allowDangerousProtocol: true, extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()],
});
// micromark keeps the document's own last line ending; the others always end the last line.
const trimmed = (html) => html.replace(/\n+$/, "");

const markdown = new Component("markdown");
const render = (text) => {
  const result = markdown.render(text);
  assert.ok("output" in result, `rejected: ${JSON.stringify(text.slice(0, 80))}`);
  return result.text;
};
const same = (text, label) => assert.equal(render(text), reference(text), `${label}: ${JSON.stringify(text)}`);

function checkConstructs() {
  const all = Object.entries(constructs).flatMap(([name, texts]) => texts.map((text) => [name, text]));
  assert.ok(all.length >= 300, `only ${all.length} cases`);
  for (const [name, text] of all) {
    same(text, name);
    same(text + "\n", name);
    same(text.replace(/^/gm, "> "), `${name} in a block quote`);
    same("- " + text.replace(/\n/g, "\n  "), `${name} in a list item`);
  }
  // One after another; a construct must end where the next begins. Definitions are left out: they reach across.
  const plain = all.filter(([, text]) => !text.includes("]:"));
  plain.forEach(([name, text], i) => {
    const [, other] = plain[(i * 37 + 11) % plain.length];
    same(`${text}\n\n${other}\n`, name);
    same(`${text}\n${other}\n`, name);
  });
  return all.length;
}

function checkSpecification() {
  const tabs = (text) => text.replaceAll("\u2192", "\t");
  for (const { number, markdown: text, html } of spec.tests) assert.equal(render(tabs(text)), tabs(html), `specification example ${number}`);
  return spec.tests.length;
}

function checkReferences() {
  const entities = requirePackage("entities/lib/maps/entities.json");
  const names = Object.keys(entities);
  for (const name of names) same(`&${name};`, "character reference");
  return names.length;
}

// Mutations of the specification's examples. Left out is where the reference departs from the text of the
// specification: raw HTML in an image's description, tabs and no-break spaces where it takes only spaces or takes too
// much, a definition closed by a setext underline, an info string that begins with a reference to a space.
function checkMutations(count) {
  const pieces = ["*", "**", "_", "__", "`", "``", "[", "]", "(", ")", "![", "<", ">", "\n", "\n\n", "    ", "- ", "1. ", "> ", "# ",
    "```\n", "~~~", "***\n", "---", "===", "\\", "&amp;", "a", "\u00e9", "\u201c", " ", "  \n", "<b>", "<!--", "-->", "[foo]: /u 't'\n", "](/x)", "\"", "+ ", "<div>", "\r\n", ":"];
  const texts = spec.tests.map((t) => t.markdown.replaceAll("\u2192", "\t")).filter((t) => !t.includes("|"));
  let state = 20240131;
  const below = (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  let compared = 0;
  while (compared < count) {
    let text = texts[below(texts.length)];
    for (let edits = 1 + below(3); edits; edits--) {
      const at = below(text.length + 1);
      text = text.slice(0, at) + pieces[below(pieces.length)] + text.slice(at + below(3));
    }
    text = text.replaceAll("\u00a0", " ");
    if (/\(|\]:/.test(text)) text = text.replaceAll("\t", " ");
    if (/^ *[~`]{3}.*&#/m.test(text) || /^[ >]*(:-+:?|-+:)\s*$/m.test(text)) continue;
    if ((text.match(/\]:/g) ?? []).length && /^[ >]*=/m.test(text)) continue;
    const expected = reference(text);
    if (/alt="[^"]*<|^<p><\/p>/m.test(expected)) continue;
    assert.equal(render(text), expected, `mutation: ${JSON.stringify(text)}`);
    compared++;
  }
  return compared;
}

function checkTables() {
  for (const text of tables) assert.equal(trimmed(render(text)), trimmed(withTables(text)), `table: ${JSON.stringify(text)}`);
  return tables.length;
}

function checkOwnPages() {
  for (const path of ownPages()) {
    const text = readFileSync(path, "utf8");
    assert.equal(trimmed(render(text)), trimmed(withTables(text)), path);
  }
  return ownPages().length;
}

function checkBounds() {
  assert.equal(render(""), "");
  assert.throws(() => markdown.exports.render(markdown.inputCap + 1), WebAssembly.RuntimeError);
  markdown.start();
  // Too many blocks, too much output, deep nesting: each ends in an answer, a rejection where there is no room.
  assert.ok(markdown.render("> \n\n".repeat(100000)).output);
  assert.equal(markdown.render("> \n\n".repeat(200000)).rejected, 0);
  assert.equal(markdown.render(">".repeat(markdown.inputCap)).rejected, 0);
  assert.equal(markdown.render('"'.repeat(markdown.inputCap)).rejected, 0);
  assert.equal(markdown.render("*".repeat(1000) + "a").rejected, undefined);
  const deep = "> ".repeat(2000) + "a";
  assert.equal(render(deep), reference(deep));
  const full = "word *emphasis* `code`\n\n".repeat(Math.floor(markdown.inputCap / 24));
  assert.equal(render(full), reference(full));
}

const counts = [
  `${checkConstructs()} cases of ${Object.keys(constructs).length} constructs`, `${checkSpecification()} examples of the specification`,
  `${checkReferences()} character references`, `${checkMutations(15000)} mutations`, `${checkTables()} tables`,
  `${checkOwnPages()} pages of this project`,
];
checkBounds();
console.log(`markdown: the same as the references on ${counts.join(", ")}`);
