// The main path through the viewer in Firefox, driven over WebDriver BiDi: open, zoom, select, search, details, a page.
// Called as: node firefox_path.mjs MODULES FIREFOX URL SCREENSHOT; prints one line of JSON.
import { createRequire } from "node:module";

const [modules, executablePath, url, screenshot] = process.argv.slice(2);
const { default: puppeteer } = await import(createRequire(modules).resolve("puppeteer-core"));

const WAIT_MS = 60_000;
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
const errors = [];
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.setViewport({ width: 1280, height: 720 });

  // The page's policy forbids what waitForFunction does.
  const until = async (what, look, ...args) => {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
      const value = await page.evaluate(look, ...args);
      if (value) {
        return value;
      }
    }
    throw new Error(`not in ${WAIT_MS / 1000} s: ${what}`);
  };
  // Not by `aria/…`: that starts the accessibility service of the desktop.
  const press = async (selector, text) => {
    const place = await until(
      `a ${selector} ${text}`,
      (found, start) => {
        const box = [...document.querySelectorAll(found)]
          .find((one) => one.textContent.trim().startsWith(start))
          ?.getBoundingClientRect();
        return box === undefined ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      },
      selector,
      text,
    );
    await page.mouse.click(place.x, place.y);
  };
  const sharp = () => until("a sharp picture", () => window.tilescope?.sharp && window.tilescope.events !== null);
  const scale = () => page.evaluate(() => window.tilescope.view.ticksPerPx);

  await page.goto(url);
  await sharp();
  const whole = await scale();
  const labels = await page.evaluate(() => window.tilescope.labels);
  const label = labels.find(({ text }) => text.startsWith("ProfilerStep"));
  await page.mouse.click(label.x + label.width / 2, label.y + label.height / 2);
  const title = await until("details", () => {
    const text = document.querySelector(".drawer-title")?.textContent;
    return text?.includes("#") ? text : null;
  });
  await page.keyboard.press("f");
  await page.keyboard.press("f");
  await until("a closer view", (before) => window.tilescope.view.ticksPerPx < before / 2, whole);
  await sharp();
  const zoomed = await scale();
  const frameMs = await page.evaluate(() => window.tilescope.frameMs);
  await page.screenshot({ path: screenshot });

  await page.keyboard.press("/");
  await page.keyboard.type("ProfilerStep");
  const found = await until("a count of hits", () => {
    const text = document.querySelector(".search-count")?.textContent ?? "";
    return /\d/.test(text) ? text : null;
  });

  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await press("button", "Tools");
  await press("[role^=menuitem]", "Statistics");
  await until("a table of statistics", () => document.querySelector(".data-table tbody tr[data-row]") !== null);
  const rows = await page.evaluate(() => document.querySelector(".data-table").getAttribute("aria-rowcount"));
  const shown = await page.evaluate(() => window.tilescope.page);
  const version = await browser.version();
  console.log(JSON.stringify({ whole, zoomed, title, found, rows, page: shown, frameMs, errors, version }));
} finally {
  await browser.close();
}
