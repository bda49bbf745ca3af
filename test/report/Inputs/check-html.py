# SPDX-License-Identifier: BSD-2-Clause
"""Reads the page as a browser would and looks at what it holds."""
import html.parser
import re
import sys

VOID = {"meta", "br"}
OPTIONAL_END = {"tr", "td", "th"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.sections, self.text = [], [], ""
        self.links, self.ids = set(), set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not {"src", "onclick"} & set(attrs), attrs
        if "href" in attrs:
            self.links.add(attrs["href"])
        if "id" in attrs:
            self.ids.add("#" + attrs["id"])
        assert tag not in ("script", "link", "img"), tag
        if tag == "section":
            self.sections.append(attrs["class"])
        if tag not in VOID | OPTIONAL_END:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


with open(sys.argv[1], encoding="utf-8") as f:
    source = f.read()
page = Page()
page.feed(source)
page.close()
assert not page.open, page.open
assert page.links == page.ids, page.links ^ page.ids
assert page.sections == ["note", "error", "error", "error", "note", "error",
                         "error", "error", "error"], page.sections
for text in ('is <written> & "read"', "sub dir/a.o:hash+0x30", "src/a.c:43:3",
             "struct fpu_kern_ctx", "Cure:", "simd-outside-region"):
    assert text in page.text, text
assert not re.search(r"url\(|@import|[\x00-\x09\x0b-\x1f]", source)
